package io.kjadm.etcd;

/**
 * Connects to real clusters. Loads neither jetcd nor netty before {@link #connect}: most commands
 * never get there.
 */
public final class JetcdConnector implements EtcdConnector {

    @Override
    public EtcdCluster connect(EtcdAccess access) {
        return new JetcdCluster(access.endpoints(), new Channels(access));
    }
}
