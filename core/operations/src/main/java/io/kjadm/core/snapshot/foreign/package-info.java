/**
 * Snapshots as other tools leave them on a disk: {@link
 * io.kjadm.core.snapshot.foreign.ForeignSnapshots} finds out what a file or a folder is.
 */
package io.kjadm.core.snapshot.foreign;
