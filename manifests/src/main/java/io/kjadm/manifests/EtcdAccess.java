package io.kjadm.manifests;

/** How the API server reaches etcd. */
public sealed interface EtcdAccess permits StackedEtcd, ExternalEtcd {}
