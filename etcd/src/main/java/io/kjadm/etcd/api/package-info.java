/**
 * For programs that use this module as a library: {@link io.kjadm.etcd.api.MembershipOperations}
 * changes members safely, {@link io.kjadm.etcd.api.Snapshots} takes snapshots and looks into them.
 * Nothing here waits or repeats by itself; {@code docs/examples/EtcdTour.java} shows how to.
 */
package io.kjadm.etcd.api;
