package io.kjadm.core.standalone;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdCertificateFiles;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.ExternalEtcdFile;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.ca.CertificateProbe;
import io.kjadm.core.etcd.ca.CertificateProbe.Answer;
import io.kjadm.core.etcd.ca.EtcdRestart;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.core.pki.CertificatePair;
import io.kjadm.core.pki.PairExchange;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.etcd.Member;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateFiles;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.ExtendedUsage;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.pki.LeafRequest;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.Validity;

import java.math.BigInteger;
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
    private final PairExchange pairs;

    MemberCertificates(SystemdEtcd host, EtcdClients clients, Reporter out) {
        this.machine = host.machine();
        this.files = host.machine().files();
        this.clients = clients;
        this.host = host;
        this.paths = host.paths();
        this.out = out;
        this.pairs = new PairExchange(files);
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

    /** Whether an exchange was interrupted, so that key and certificate do not fit. */
    boolean interrupted(String base) {
        return pairs.unfinished(pair(base));
    }

    /** Goes on with exchanges that were interrupted, the CA's among them. */
    void finishInterrupted() {
        for (String base : Stream.concat(Stream.of(CA), ALL.stream()).toList()) {
            CertificatePair pair = pair(base);
            if (pairs.finish(pair)) {
                out.step(AREA, "Finished an interrupted renewal of " + pair.certificate());
            }
        }
    }

    /** Where the certificates of servers are shown, by their names. */
    Map<String, URI> servers() {
        LocalEtcdState etcd = etcd();
        Map<String, URI> servers = new LinkedHashMap<>();
        etcd.ownClientUrls().stream()
                .filter(MemberCertificates::secured)
                .filter(url -> !EtcdUrls.loopback(url))
                .findFirst()
                .ifPresent(url -> servers.put(SERVERS.getFirst(), url));
        etcd.peerUrls().stream()
                .filter(MemberCertificates::secured)
                .findFirst()
                .ifPresent(url -> servers.put(SERVERS.getLast(), url));
        return servers;
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
        CertificatePair pair = pair(CA);
        try {
            CertificateAuthority ca = CertificateAuthority.load(
                    files.read(pair.certificate())
                            .orElseThrow(() -> new PkiException("it is missing")),
                    files.read(pair.key()));
            ca.unfitness().ifPresent(why -> {
                throw new PkiException(why);
            });
            if (!ca.canSign()) {
                throw new PkiException("its key %s is not on this machine".formatted(pair.key()));
            }
            ca.info().outOfDate(now()).ifPresent(why -> {
                throw new PkiException("it " + why);
            });
            return ca;
        } catch (PkiException e) {
            throw new HostException(
                    CommonReason.CA_CANNOT_SIGN,
                    "the CA %s cannot sign".formatted(pair.certificate()),
                    e.getMessage(),
                    "copy ca.crt and ca.key from another member to "
                            + pair.certificate().getParent(),
                    e);
        }
    }

    /**
     * Makes them anew. All are signed before the first file is changed.
     *
     * @param keys of the new pairs
     * @throws HostException if the CA or one of them cannot be used; nothing was renewed
     */
    void renew(KeyPairPool keys) {
        CertificateAuthority ca = authority();
        Instant now = now();
        if (ca.info()
                .notAfter()
                .isBefore(now.plus(CertificateFiles.DEFAULT_CERTIFICATE_VALIDITY))) {
            out.warn("the CA ends on %s, before the certificates that it signs now"
                    .formatted(ca.info().notAfter()));
        }
        Map<CertificatePair, IssuedCertificate> signed = new LinkedHashMap<>();
        for (String base : ALL) {
            CertificatePair pair = pair(base);
            sign(pair, base, ca, keys, now).ifPresent(issued -> signed.put(pair, issued));
        }
        signed.forEach((pair, issued) -> {
            pairs.replace(pair, issued);
            out.step(AREA, "certificate %s renewed".formatted(pair.certificate()));
        });
    }

    private Optional<IssuedCertificate> sign(
            CertificatePair pair,
            String base,
            CertificateAuthority ca,
            KeyPairPool keys,
            Instant now) {
        Optional<String> pem = files.read(pair.certificate());
        if (pem.isEmpty()) {
            out.warn(
                    "%s is missing: make it with 'kjadm etcd init phase certs' on the first member, else with 'kjadm etcd join phase certs'"
                            .formatted(pair.certificate()));
            return Optional.empty();
        }
        try {
            return Optional.of(ca.issue(
                    LeafRequest.renewing(CertificateInfo.parse(pem.get()), usages(base)),
                    keys,
                    Validity.startingAt(now, CertificateFiles.DEFAULT_CERTIFICATE_VALIDITY)));
        } catch (PkiException e) {
            throw new HostException(
                    "%s cannot be renewed".formatted(pair.certificate()),
                    e.getMessage(),
                    "move it and its key away, and generate them again with 'kjadm etcd init phase certs' or 'join phase certs'",
                    e);
        }
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
        servers()
                .forEach((base, url) -> files.read(pair(base).certificate())
                        .map(pem -> CertificateInfo.parse(pem).serialNumber())
                        .ifPresent(serial -> awaitShown(probe, base, url, serial)));
    }

    private void awaitShown(CertificateProbe probe, String base, URI url, BigInteger serial) {
        machine.waiter()
                .until(
                        new Await(
                                AREA,
                                "etcd to show its new %s certificate at %s".formatted(base, url),
                                SHOWN_LIMIT,
                                INTERVAL,
                                "see 'journalctl -u etcd', then restart it with 'systemctl restart etcd'"),
                        () -> switch (probe.look(url)) {
                            case Answer.Shown(CertificateInfo shown)
                            when shown.serialNumber().equals(serial) -> Attempt.done(true);
                            case Answer.Shown(CertificateInfo shown) ->
                                Attempt.notYet("it shows the one of serial number "
                                        + shown.serialNumber().toString(16));
                            case Answer.Unseen(String why) -> Attempt.notYet(why);
                        })
                .ifPresent(_ -> out.step(
                        AREA,
                        "etcd shows its new %s certificate, serial number %s"
                                .formatted(base, serial.toString(16))));
    }
}
