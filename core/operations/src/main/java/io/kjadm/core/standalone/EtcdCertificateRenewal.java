package io.kjadm.core.standalone;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.ca.CertificateProbe;
import io.kjadm.core.etcd.ca.EtcdRestart;
import io.kjadm.core.etcd.ca.Expirations;
import io.kjadm.core.etcd.ca.Expirations.Expiration;
import io.kjadm.core.etcd.ca.Expirations.Served;
import io.kjadm.core.etcd.ca.RotatedNode;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.KeyPairPool;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * {@code etcd certs} on a machine with an etcd of its own: tells when its certificates end, and
 * makes new ones by what stands in the old ones, with the CA's key that is on every member.
 */
public final class EtcdCertificateRenewal {

    /** Others restart their members for the same. */
    private static final EtcdRestart.Purpose PURPOSE =
            EtcdRestart.Purpose.renewal("etcd certs renew", Duration.ofMinutes(2));

    private final Machine machine;
    private final HostFiles files;
    private final MemberCertificates member;
    private final CertificateProbe probe;
    private final Reporter out;

    /** @param probe looks at what is served */
    public EtcdCertificateRenewal(
            SystemdEtcd host, EtcdClients clients, CertificateProbe probe, Reporter out) {
        this.machine = host.machine();
        this.files = host.machine().files();
        this.member = new MemberCertificates(host, clients, out);
        this.probe = probe;
        this.out = out;
    }

    /** How many keys a renewal makes. */
    public static int keys() {
        return MemberCertificates.ALL.size();
    }

    /**
     * This machine, as the rotation of its etcd's CA sees it.
     *
     * @param keys of the new pairs
     * @param lock keeps other machines from restarting theirs meanwhile
     * @throws HostException if no member is set up
     */
    public RotatedNode rotated(KeyPairPool keys, MembershipLock lock) {
        member.requireConfigured();
        return new RotatedMachine(member, keys, lock, probe);
    }

    /**
     * When the certificates in the files and those that are served end.
     *
     * @throws HostException if one of them cannot be read
     */
    public Expirations check() {
        boolean external = !files.exists(member.pair(MemberCertificates.CA).key());
        return new Expirations(
                MemberCertificates.ALL.stream()
                        .map(base -> expiration(base, Optional.of(MemberCertificates.CA), external))
                        .toList(),
                List.of(expiration(MemberCertificates.CA, Optional.empty(), external)),
                member.servers().entrySet().stream()
                        .map(server -> new Served(
                                server.getKey(),
                                server.getValue().url().getAuthority(),
                                probe.look(server.getValue().url())))
                        .toList(),
                machine.observer().now());
    }

    private Expiration expiration(String base, Optional<String> caName, boolean external) {
        return new Expiration(
                base,
                caName,
                member.file(base)
                        .look(out, "kjadm etcd certs renew")
                        .map(CertificateInfo::notAfter),
                external);
    }

    /**
     * Makes them anew, restarts etcd if the others can do without it, and sees that the new ones
     * are served. All are signed before the first file is changed; a run that was interrupted is
     * finished by the next.
     *
     * @param keys of the new pairs
     * @param lock keeps other machines from restarting theirs meanwhile
     * @throws HostException if no member is set up, or the CA or one of them cannot be used; nothing
     *     was renewed
     * @throws io.kjadm.core.error.ClusterException if the others cannot do without the member: the
     *     certificates are new then, and nothing was restarted
     */
    public void renew(KeyPairPool keys, MembershipLock lock) {
        member.requireConfigured();
        member.finishInterrupted();
        member.renew(keys);
        member.writeForControlPlanes();
        member.restart(lock, PURPOSE);
        member.awaitShown(probe);
    }
}
