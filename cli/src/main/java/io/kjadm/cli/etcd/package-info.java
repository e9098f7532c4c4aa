/** The commands below {@code kjadm etcd}. Read {@link io.kjadm.cli.etcd.EtcdCommand} first. */
package io.kjadm.cli.etcd;
