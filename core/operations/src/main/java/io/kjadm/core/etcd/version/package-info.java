/**
 * A member gets another version of etcd, with a journal and a way back. Read {@link
 * io.kjadm.core.etcd.version.EtcdVersionChange} first.
 */
package io.kjadm.core.etcd.version;
