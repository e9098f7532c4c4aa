/**
 * Membership of an etcd cluster. {@link io.kjadm.etcd.EtcdCluster} is the port everything here
 * speaks through, and {@link io.kjadm.etcd.EtcdHealth} the facts that decide;
 * {@link io.kjadm.etcd.join} is the way in, {@link io.kjadm.etcd.MemberRemoval} the way out;
 * {@link io.kjadm.etcd.EtcdSurvey} looks at a cluster that may be broken.
 *
 * <p>Nothing here waits, repeats or reads a clock: every method asks once and answers, and where
 * time must pass the answer says how much.
 */
package io.kjadm.etcd;
