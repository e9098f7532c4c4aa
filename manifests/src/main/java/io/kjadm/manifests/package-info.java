/**
 * Everything Kubernetes defines that this program writes: static pods, kubeconfigs, addon and RBAC
 * objects, and the patches applied to them. Values go in, objects and text come out; nothing here
 * reads a file or a clock.
 *
 * <p>Read {@link io.kjadm.manifests.ManifestYaml} first (objects to text and back), then one of the
 * pods, for example {@link io.kjadm.manifests.EtcdPod}.
 */
package io.kjadm.manifests;
