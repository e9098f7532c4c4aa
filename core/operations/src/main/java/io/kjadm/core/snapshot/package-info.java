/**
 * Snapshots of etcd in a store: {@link io.kjadm.core.snapshot.SnapshotCatalog} knows how they lie
 * there, {@link io.kjadm.core.snapshot.SnapshotSave} takes one.
 */
package io.kjadm.core.snapshot;
