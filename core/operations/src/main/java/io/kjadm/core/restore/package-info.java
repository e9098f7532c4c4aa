/**
 * A snapshot put back where the data are lost or wrong: {@link
 * io.kjadm.core.restore.SnapshotRestore} first.
 */
package io.kjadm.core.restore;
