/**
 * Faults of joins and resets, one case per number of the etcd reference's failure catalogue (§6),
 * on whole nodes.
 */
package io.kjadm.e2e.faults;
