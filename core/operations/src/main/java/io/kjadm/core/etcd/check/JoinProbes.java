package io.kjadm.core.etcd.check;

import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdProbe;

import java.time.Duration;
import java.time.InstantSource;
import java.util.function.Function;

/**
 * The ports through which a join looks before it touches. All of them only read, but for the disk's
 * probe file.
 *
 * @param etcd opens a look at the members; throws {@link io.kjadm.etcd.EtcdCallException} if the
 *         certificates or the key cannot be used
 */
public record JoinProbes(
        Function<EtcdAccess, EtcdProbe> etcd,
        PeerDialer peers,
        ServerClock serverClock,
        DiskProbe disk) {

    /**
     * The real ones.
     *
     * @param mayWrite false in a dry run
     */
    public static JoinProbes real(boolean mayWrite) {
        InstantSource clock = InstantSource.system();
        return new JoinProbes(
                EtcdProbe::open,
                new TlsPeerDialer(clock),
                new TlsServerClock(clock),
                new FileDiskProbe(mayWrite));
    }

    /** Those of a dry run that asks no server: only this machine is looked at. */
    public static JoinProbes ofMachine() {
        return new JoinProbes(
                access -> {
                    throw new IllegalStateException("no etcd is asked in this dry run");
                },
                (url, source, credentials) -> {
                    throw new IllegalStateException("no peer is called in this dry run");
                },
                (server, caPem) -> Duration.ZERO,
                new FileDiskProbe(false));
    }
}
