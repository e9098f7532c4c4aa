/**
 * Faults of joins and resets, one case per number of docs/failure-catalogue.md, on whole
 * nodes.
 */
package io.kjadm.e2e.faults;
