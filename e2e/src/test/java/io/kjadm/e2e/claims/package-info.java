/**
 * What kubeadm's own tests on a cluster ({@code test/e2e_kubeadm}) claim, asked of clusters that
 * kjadm makes. Read {@link io.kjadm.e2e.claims.KubeadmClaims} first.
 */
package io.kjadm.e2e.claims;
