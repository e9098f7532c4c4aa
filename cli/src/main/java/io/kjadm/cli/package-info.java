/** The program's commands and their wiring. Read {@link io.kjadm.cli.Main} first. */
package io.kjadm.cli;
