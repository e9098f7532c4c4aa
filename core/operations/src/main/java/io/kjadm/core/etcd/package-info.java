/**
 * How phases reach the cluster's etcd: finding its members, the credentials, and what a join or
 * reset does with them. Read {@link io.kjadm.core.etcd.EtcdClients} first, then
 * {@link io.kjadm.core.etcd.LocalEtcdState}, which is what this node's files tell.
 */
package io.kjadm.core.etcd;
