/**
 * How phases reach the cluster's etcd: finding its members, the credentials, and what a join or
 * reset does with them. Read {@link io.kjadm.core.etcd.EtcdFinder} first;
 * {@link io.kjadm.core.etcd.LocalEtcdState} and {@link io.kjadm.core.etcd.EtcdCredentials} are for who
 * has nothing but this node's files.
 */
package io.kjadm.core.etcd;
