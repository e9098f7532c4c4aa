/**
 * Membership of an etcd cluster. Read {@link io.kjadm.etcd.MemberAdder} first: it says how a member gets in, and
 * {@link io.kjadm.etcd.EtcdCluster} is the port everything here speaks through; {@link io.kjadm.etcd.MemberRemoval} is
 * the way out, and {@link io.kjadm.etcd.EtcdHealth} the facts both decide by.
 *
 * <p>Nothing here waits, repeats or reads a clock: every method asks once and answers, and where time must pass the answer
 * says how much.
 */
package io.kjadm.etcd;
