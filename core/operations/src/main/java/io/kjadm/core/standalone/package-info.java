/**
 * An etcd of its own, on machines without Kubernetes, run by systemd: {@code kjadm etcd init},
 * {@code join} and {@code reset}. Begin with {@link io.kjadm.core.standalone.EtcdWorkflows}; a join's
 * decisions are those of {@link io.kjadm.etcd.join}, played on {@code HostMember}.
 */
package io.kjadm.core.standalone;
