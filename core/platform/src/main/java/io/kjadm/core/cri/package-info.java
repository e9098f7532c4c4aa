/**
 * The container runtime of the machine, asked through the container runtime interface (CRI) v1.
 * Read {@link io.kjadm.core.cri.ContainerRuntime} first.
 */
package io.kjadm.core.cri;
