package io.kjadm.etcd;

/** Opens clusters. */
public interface EtcdConnector {

    /**
     * Gets ready to talk to the cluster; the first call connects.
     *
     * @throws EtcdCallException if the certificates or the key cannot be used
     */
    EtcdCluster connect(EtcdAccess access);
}
