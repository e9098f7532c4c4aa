package io.kjadm.core.standalone;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdCertificateFiles;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.ExternalEtcdFile;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.ca.CertificateProbe;
import io.kjadm.core.etcd.ca.EtcdRestart;
import io.kjadm.core.etcd.ca.ServedCertificate;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.core.pki.CertificatePair;
import io.kjadm.core.pki.CertificateRenewal;
import io.kjadm.core.pki.CertificateRenewal.Renewable;
import io.kjadm.core.pki.PairFile;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.etcd.Member;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateFiles;
import io.kjadm.pki.ExtendedUsage;
import io.kjadm.pki.KeyPairPool;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The certificates of this machine's member, as whoever renews them or rotates their CA needs them:
 * made anew by what stands in the old ones, given to control planes, and read by etcd.
 */
final class MemberCertificates {

    /** Names of the CA's files. */
    static final String CA = "ca";

    static final List<String> ALL = List.of(
            "server",
            "peer",
            EtcdCertificateFiles.STANDALONE_CLIENT,
            EtcdCertificates.API_SERVER_CLIENT);

    private static final List<String> SERVERS = ALL.subList(0, 2);
    private static final String AREA = "renew";
    private static final Duration SHOWN_LIMIT = Duration.ofMinutes(1);
    private static final Duration INTERVAL = Duration.ofMillis(500);

    private final Machine machine;
    private final HostFiles files;
    private final EtcdClients clients;
    private final SystemdEtcd host;
    private final EtcdHostPaths paths;
    private final Reporter out;

    MemberCertificates(SystemdEtcd host, EtcdClients clients, Reporter out) {
        this.machine = host.machine();
        this.files = host.machine().files();
        this.clients = clients;
        this.host = host;
        this.paths = host.paths();
        this.out = out;
    }

    /**
     * The member they are of.
     *
     * @throws HostException if none is known here
     */
    LocalEtcdState etcd() {
        return host.state();
    }

    /** @throws HostException if there are certificates for one that was never set up */
    void requireConfigured() {
        host.configuredState();
    }

    /** Of the stage of a rotation that this machine is entering. */
    Path rotationJournal() {
        return paths.rotationJournal();
    }

    /** When certificates begin that are made now. */
    Instant now() {
        return machine.observer().now();
    }

    /** The files of one of them, or of the CA. */
    CertificatePair pair(String base) {
        return CertificatePair.named(etcd().certificatesDir(), base);
    }

    /** The same with its content. */
    PairFile file(String base) {
        return new PairFile(files, pair(base));
    }

    /** Goes on with exchanges that were interrupted, the CA's among them. */
    void finishInterrupted() {
        CertificateRenewal.finishInterrupted(
                Stream.concat(Stream.of(CA), ALL.stream()).map(this::file).toList(), out);
    }

    /** What servers are to show, by the names of the certificates. */
    Map<String, ServedCertificate> servers() {
        LocalEtcdState etcd = etcd();
        Map<String, ServedCertificate> servers = new LinkedHashMap<>();
        etcd.ownClientUrls().stream()
                .filter(MemberCertificates::secured)
                .filter(url -> !EtcdUrls.loopback(url))
                .findFirst()
                .ifPresent(url -> servers.put(SERVERS.getFirst(), served(SERVERS.getFirst(), url)));
        etcd.peerUrls().stream()
                .filter(MemberCertificates::secured)
                .findFirst()
                .ifPresent(url -> servers.put(SERVERS.getLast(), served(SERVERS.getLast(), url)));
        return servers;
    }

    private ServedCertificate served(String base, URI url) {
        return new ServedCertificate(url, file(base));
    }

    private static boolean secured(URI url) {
        return "https".equals(url.getScheme());
    }

    /**
     * The CA that signs, the first in its file, with its key.
     *
     * @throws HostException if it cannot
     */
    CertificateAuthority authority() {
        return pair(CA).signingAuthority(files, now());
    }

    /**
     * Makes them anew. All are signed before the first file is changed.
     *
     * @param keys of the new pairs
     * @throws HostException if the CA or one of them cannot be used; nothing was renewed
     */
    void renew(KeyPairPool keys) {
        CertificateAuthority ca = authority();
        new CertificateRenewal(keys, CertificateFiles.DEFAULT_CERTIFICATE_VALIDITY, now(), out)
                .renew(ALL.stream().map(this::renewable).toList(), _ -> ca);
    }

    private Renewable renewable(String base) {
        PairFile file = file(base);
        return new Renewable(
                "certificate " + file.path(),
                CA,
                file,
                usages(base),
                "make one with 'kjadm etcd init phase certs' on the first member, else with 'kjadm etcd join phase certs'");
    }

    private static List<ExtendedUsage> usages(String base) {
        return SERVERS.contains(base)
                ? List.of(ExtendedUsage.SERVER_AUTH, ExtendedUsage.CLIENT_AUTH)
                : List.of(ExtendedUsage.CLIENT_AUTH);
    }

    /** Writes the file that control planes take, and says what they need it for. */
    void writeForControlPlanes() {
        if (provideForControlPlanes()) {
            out.step(
                    AREA,
                    "Wrote %s; control planes that use this etcd keep what they have until they get this"
                            .formatted(paths.externalEtcd()));
        }
    }

    /**
     * Writes the file that control planes take, with the URLs of all voters there are now, if these
     * are known.
     *
     * @return false if a certificate or its key is missing, and nothing was written
     */
    boolean provideForControlPlanes() {
        CertificatePair client = pair(EtcdCertificates.API_SERVER_CLIENT);
        Optional<String> ca = files.read(pair(CA).certificate());
        Optional<String> certificate = files.read(client.certificate());
        Optional<String> key = files.read(client.key());
        if (ca.isEmpty() || certificate.isEmpty() || key.isEmpty()) {
            return false;
        }
        new ExternalEtcdFile(endpoints(etcd()), ca.get(), certificate.get(), key.get())
                .write(files, paths.externalEtcd());
        return true;
    }

    private List<URI> endpoints(LocalEtcdState etcd) {
        List<URI> own = etcd.ownClientUrls().stream()
                .filter(url -> !EtcdUrls.loopback(url))
                .toList();
        List<URI> voters = new ArrayList<>();
        try (EtcdCluster cluster =
                clients.connect(clients.to(etcd.clientUrls(), etcd.certificatesDir()))) {
            cluster.members().stream()
                    .filter(Member::voter)
                    .forEach(member -> voters.addAll(member.clientUrls()));
        } catch (EtcdCallException e) {
            out.detail("renew: the members cannot be listed: " + e.text());
        }
        return Stream.concat(own.stream(), voters.stream()).distinct().toList();
    }

    /**
     * Restarts etcd, if the others can do without it.
     *
     * @param lock keeps other machines from restarting theirs meanwhile
     */
    void restart(MembershipLock lock, EtcdRestart.Purpose purpose) {
        LocalEtcdState etcd = etcd();
        new EtcdRestart(clients, etcd, etcd.certificatesDir(), lock, machine.waiter(), out, purpose)
                .guard(host::restart);
    }

    /** Starts etcd where a restart was interrupted: systemd lets rest what was stopped. */
    void startIfStopped() {
        if (host.configured() && !host.active()) {
            out.step(AREA, "etcd does not run: starting it");
            host.begin();
        }
    }

    /**
     * Waits until etcd shows them as their files have them now.
     *
     * @param probe looks at what is served
     */
    void awaitShown(CertificateProbe probe) {
        Await await = new Await(
                AREA,
                "etcd to show its new certificates",
                SHOWN_LIMIT,
                INTERVAL,
                "see 'journalctl -u etcd', then restart it with 'systemctl restart etcd'");
        for (ServedCertificate server : servers().values()) {
            machine.waiter()
                    .until(
                            await,
                            () -> server.difference(probe)
                                    .map(Attempt::<Boolean>notYet)
                                    .orElseGet(() -> Attempt.done(true)))
                    .ifPresent(_ -> out.step(AREA, "etcd " + server.serves()));
        }
    }
}
