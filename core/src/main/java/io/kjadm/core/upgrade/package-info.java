/**
 * From one version of Kubernetes to the next: what stands in the way, and what will change. The
 * rules here judge facts and ask nobody; read {@link io.kjadm.core.upgrade.VersionPolicy} first.
 */
package io.kjadm.core.upgrade;
