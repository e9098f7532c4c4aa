/** The command line: the tree of commands, how it is parsed, what fails in it. Read {@link io.kjadm.cli.Main} first. */
package io.kjadm.cli;
