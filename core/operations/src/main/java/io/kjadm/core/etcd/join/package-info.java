/**
 * A member joins: the loop around the decisions of {@code io.kjadm.etcd.join}, and what runs on this
 * machine meanwhile. Read {@link io.kjadm.core.etcd.join.MemberJoinLoop} first.
 */
package io.kjadm.core.etcd.join;
