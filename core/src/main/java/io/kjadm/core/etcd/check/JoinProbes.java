package io.kjadm.core.etcd.check;

import io.kjadm.etcd.EtcdProbes;

import java.time.InstantSource;

/**
 * The ports through which a join looks before it touches. All of them only read, but for the disk's
 * probe file.
 */
public record JoinProbes(
        EtcdProbes etcd, PeerDialer peers, ServerClock serverClock, DiskProbe disk) {

    /**
     * The real ones.
     *
     * @param mayWrite false in a dry run
     */
    public static JoinProbes real(boolean mayWrite) {
        InstantSource clock = InstantSource.system();
        return new JoinProbes(
                EtcdProbes.jetcd(),
                new TlsPeerDialer(clock),
                new TlsServerClock(clock),
                new FileDiskProbe(mayWrite));
    }
}
