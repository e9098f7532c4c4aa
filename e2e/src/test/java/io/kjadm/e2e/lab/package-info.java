/**
 * Machines to test on: containers that look like hosts with a container runtime and a kubelet. Read
 * {@link io.kjadm.e2e.lab.Lab} first.
 */
package io.kjadm.e2e.lab;
