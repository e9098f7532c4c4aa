/**
 * A member's certificates while etcd serves: renewal, restart, and the change to a new CA. Read {@link
 * io.kjadm.core.etcd.ca.EtcdCaRotation} first.
 */
package io.kjadm.core.etcd.ca;
