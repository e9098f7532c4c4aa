package io.kjadm.etcd;

/** Opens probes. */
@FunctionalInterface
public interface EtcdProbes {

    /**
     * Gets ready to ask; the first question connects.
     *
     * @throws EtcdCallException if the certificates or the key cannot be used
     */
    EtcdProbe open(EtcdAccess access);

    /** Those of real clusters. Loads neither jetcd nor netty before {@link #open}. */
    static EtcdProbes jetcd() {
        return access -> new JetcdProbe(access.endpoints(), new Channels(access));
    }
}
