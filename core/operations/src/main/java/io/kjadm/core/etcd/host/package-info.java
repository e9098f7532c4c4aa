/**
 * How etcd runs on this machine: {@link io.kjadm.core.etcd.host.EtcdHost}, as a static pod of the
 * kubelet or as a service of systemd. Whatever works on a machine's member takes one of the two.
 */
package io.kjadm.core.etcd.host;
