package io.kjadm.etcd;

/** Probes of real clusters. Loads neither jetcd nor netty before {@link #open}. */
public final class JetcdProbes implements EtcdProbes {

    @Override
    public EtcdProbe open(EtcdAccess access) {
        return new JetcdProbe(access.endpoints(), new Channels(access));
    }
}
