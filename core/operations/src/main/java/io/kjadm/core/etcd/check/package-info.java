/**
 * Gathers, before a join changes anything, what {@code io.kjadm.etcd.check} decides by: etcd and
 * its peers over the network, clocks, and this node's disk and certificates. Read
 * {@link io.kjadm.core.etcd.check.JoinCheckup} first.
 */
package io.kjadm.core.etcd.check;
