/**
 * Looks after the certificates of a control-plane node: {@code kjadm certs} and
 * {@code kjadm kubeconfig}. {@link io.kjadm.core.certs.ManagedCertificate} says which there are,
 * {@link io.kjadm.core.certs.NodeRenewal} makes them anew,
 * {@link io.kjadm.core.certs.ComponentRestart} brings them into use.
 */
package io.kjadm.core.certs;
