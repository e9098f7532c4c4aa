/**
 * What keeps etcd in shape: whether each member serves, room in the databases, alarms. Read
 * {@link io.kjadm.core.etcd.upkeep.DefragRules} first: it decides, from facts alone, and
 * {@link io.kjadm.core.etcd.upkeep.Defragmentation} acts.
 */
package io.kjadm.core.etcd.upkeep;
