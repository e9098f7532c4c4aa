/**
 * A snapshot played: an etcd is made of it, asked, and thrown away. {@link
 * io.kjadm.core.snapshot.drill.SnapshotDrill} first.
 */
package io.kjadm.core.snapshot.drill;
