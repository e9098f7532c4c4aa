/**
 * etcd's membership as a model in virtual time; begin with
 * {@link io.kjadm.etcd.model.EtcdModel}.
 */
package io.kjadm.etcd.model;
