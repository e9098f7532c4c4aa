package io.kjadm.manifests;

/** How the API server reaches etcd. */
public sealed interface ApiServerEtcd permits StackedEtcd, ExternalEtcdAccess {}
