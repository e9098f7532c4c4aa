/** The API server behind a port. Read {@link io.kjadm.core.kube.KubeApi} first. */
package io.kjadm.core.kube;
