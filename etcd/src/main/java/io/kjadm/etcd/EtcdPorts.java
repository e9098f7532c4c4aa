package io.kjadm.etcd;

/** The ports of a stacked etcd. */
public final class EtcdPorts {

    public static final int CLIENT = 2379;
    public static final int PEER = 2380;
    public static final int METRICS = 2381;

    private EtcdPorts() {}
}
