/**
 * A member leaves the cluster: whose data it is, whether the others may do without it, its last snapshot,
 * and the journal. Read {@link io.kjadm.core.etcd.leave.OwnMemberRemoval} first.
 */
package io.kjadm.core.etcd.leave;
