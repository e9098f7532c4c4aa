/**
 * What init and join do alike on a node: its certificates, kubeconfigs, manifests, kubelet files
 * and health. Read {@link io.kjadm.core.node.ControlPlaneNode} first.
 */
package io.kjadm.core.node;
