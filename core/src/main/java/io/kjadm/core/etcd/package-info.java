/**
 * How phases reach the cluster's etcd: finding its members, the credentials, and what a join or reset does
 * with them. Read {@link io.kjadm.core.etcd.EtcdFinder} first.
 */
package io.kjadm.core.etcd;
