package io.kjadm.core.upgrade.plan;

/**
 * One command of an upgrade.
 *
 * @param node    the node that it upgrades
 * @param on      the node on which it is run
 * @param purpose what it is for, in a few words
 * @param command for a shell, as root
 */
public record PlannedCommand(String node, String on, String purpose, String command) {}
