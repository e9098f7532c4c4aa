/**
 * One change of etcd's membership at a time in the whole cluster. Read
 * {@link io.kjadm.core.lock.MembershipLock} first.
 */
package io.kjadm.core.lock;
