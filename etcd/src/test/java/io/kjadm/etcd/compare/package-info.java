/**
 * Measures what a join costs a cluster that is written to, with learners and without: real etcd
 * processes, the adders and the {@link io.kjadm.etcd.join.MemberJoinExecutor} of the program, and a stand-in
 * for the kubelet. Read {@link io.kjadm.etcd.compare.AdderComparison} first;
 * {@code e2e/bench/adders} runs it.
 */
package io.kjadm.etcd.compare;
