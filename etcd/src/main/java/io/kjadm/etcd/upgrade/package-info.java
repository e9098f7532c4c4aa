/**
 * From one version of etcd to another: which way is allowed, and whether there is a way back. Read
 * {@link io.kjadm.etcd.upgrade.EtcdUpgradePath} first.
 */
package io.kjadm.etcd.upgrade;
