package io.kjadm.core.config;

/** Where the cluster keeps its state. */
public sealed interface Etcd permits LocalEtcd, ExternalEtcd {}
