/**
 * What an operator does with etcd's members, apart from a join or a reset: look at them, remove,
 * promote, clean up. Read {@link io.kjadm.core.etcd.commands.MemberCommandRules} first: it decides, from
 * facts alone, and {@link io.kjadm.core.etcd.commands.MembershipChanges} acts.
 */
package io.kjadm.core.etcd.commands;
