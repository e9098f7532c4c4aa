/**
 * Signatures of snapshots, Ed25519 over the bytes of a manifest: {@link
 * io.kjadm.core.snapshot.sign.SnapshotKeys} creates and reads the keys, {@link
 * io.kjadm.core.snapshot.sign.SnapshotTrust} says which snapshots are accepted.
 */
package io.kjadm.core.snapshot.sign;
