/**
 * Snapshots of etcd, looked into without etcd: {@link io.kjadm.etcd.snapshot.SnapshotVerifier}
 * first.
 */
package io.kjadm.etcd.snapshot;
