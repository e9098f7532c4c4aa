/**
 * The commands of a Kubernetes node and cluster: init, join, reset, upgrade and the smaller ones.
 * Read {@link io.kjadm.cli.kube.InitCommand} first.
 */
package io.kjadm.cli.kube;
