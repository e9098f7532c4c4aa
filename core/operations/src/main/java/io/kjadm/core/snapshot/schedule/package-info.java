/** Snapshots at regular times, by whoever keeps time on a node or in the cluster. */
package io.kjadm.core.snapshot.schedule;
