/**
 * What commands are built from: flags, phases as commands, examples. Read {@link
 * io.kjadm.cli.command.CommandBuilder} first.
 */
package io.kjadm.cli.command;
