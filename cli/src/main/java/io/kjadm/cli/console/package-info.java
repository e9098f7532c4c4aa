/**
 * What the operator sees: lines, questions, tables and events. Read {@link
 * io.kjadm.cli.console.Console} first.
 */
package io.kjadm.cli.console;
