/**
 * The machine as a phase may change it: its files, programs, container runtimes and health endpoints.
 */
package io.kjadm.core.machine;
