package io.kjadm.core.etcd;

import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.lock.LeaseLocks;

/**
 * The cluster as a node sees it.
 *
 * @param kube  its API servers
 * @param etcd  the members of its stacked etcd
 * @param locks keep the runs of several nodes apart
 */
public record ClusterClients(KubeClients kube, EtcdClients etcd, LeaseLocks locks) {}
