/**
 * One member's join. Read {@link io.kjadm.etcd.join.JoinState} first, then
 * {@link io.kjadm.etcd.join.JoinDecider}, which decides from facts alone, and
 * {@link io.kjadm.etcd.join.MemberJoinExecutor}, which looks and acts. What is on disk is a {@link
 * io.kjadm.etcd.join.JoinEntry}; the two ways to add a member are
 * {@link io.kjadm.etcd.join.MemberAdder}s.
 *
 * <p>Nothing here waits or reads a clock of its own: a step looks once, does one thing, and says
 * how long to pause.
 */
package io.kjadm.etcd.join;
