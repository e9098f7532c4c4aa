/**
 * A Kubernetes cluster that the tests build on a lab with kjadm, kubeadm or both, and the questions
 * they ask it. Read {@link io.kjadm.e2e.cluster.Cluster} first.
 */
package io.kjadm.e2e.cluster;
