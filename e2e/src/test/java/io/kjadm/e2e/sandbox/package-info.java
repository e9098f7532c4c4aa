/**
 * Stand-ins for Kubernetes' own programs, for machines where those are not to be had: enough of a
 * kubelet, an API server, a controller manager and a scheduler for a control plane to be brought up
 * and joined. etcd is the real one, and what the API server knows is kept in it. Nothing that runs
 * here is called real. Read {@link io.kjadm.e2e.sandbox.StandInKubelet} first: it starts the
 * others.
 */
package io.kjadm.e2e.sandbox;
