/**
 * A cluster without a machine: the servers that a run talks to, in one process, with just enough
 * behind them for {@code init} and {@code join} to come to their end. The build trains the AOT
 * caches against it; nothing is proven by it.
 */
package io.kjadm.cli.training;
