/**
 * One member's join: rules that decide from facts alone, and an executor that looks and acts. To
 * read how a learner joins:
 *
 * <ol>
 *   <li>{@link io.kjadm.etcd.join.JoinState}, what the journal says of a join; {@link
 *       io.kjadm.etcd.join.JoinFacts}, all that a decision may know; {@link
 *       io.kjadm.etcd.join.JoinDecision}, all that it may be
 *   <li>{@link io.kjadm.etcd.join.JoinDecider}, the rules, with {@code AddDecider} before the add,
 *       {@link io.kjadm.etcd.join.LearnerMemberAdder} and {@code VoteDecider} around the vote,
 *       {@code JoinDeadlines} and {@code JoinRollback} when it does not get on
 *   <li>{@link io.kjadm.etcd.join.MemberJoinExecutor}, which carries a decision out, on a {@link
 *       io.kjadm.etcd.join.LocalMember} of this node
 * </ol>
 *
 * <p>Nothing here waits or reads a clock of its own: a step looks once, does one thing, and says
 * how long to pause.
 */
package io.kjadm.etcd.join;
