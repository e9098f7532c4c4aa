/**
 * Values that all of the program knows: addresses, ports, versions, durations and switches as
 * Kubernetes' and Go's own texts write them. They know no other package but errors.
 */
package io.kjadm.core.value;
