package io.kjadm.core.standalone;

import io.kjadm.core.certs.CertificateProbe;
import io.kjadm.core.certs.CertificateProbe.Answer;
import io.kjadm.core.certs.CertsNode;
import io.kjadm.core.certs.EtcdRestart;
import io.kjadm.core.certs.Expirations;
import io.kjadm.core.certs.Expirations.Expiration;
import io.kjadm.core.certs.Expirations.Served;
import io.kjadm.core.certs.PairExchange;
import io.kjadm.core.config.ExternalEtcdFile;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdCertificateFiles;
import io.kjadm.core.etcd.EtcdCertificateFiles.Pair;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.node.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.etcd.Member;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateFiles;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.ExtendedUsage;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyAlgorithm;
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
 * {@code etcd certs} on a machine with an etcd of its own: tells when its certificates end, and
 * makes new ones by what stands in the old ones, with the CA's key that is on every member.
 */
public final class EtcdCertificateRenewal {

    private static final String AREA = "renew";
    private static final String CA = "ca";
    private static final List<String> SERVERS = List.of("server", "peer");
    private static final List<String> ALL = List.of(
            "server",
            "peer",
            EtcdCertificateFiles.STANDALONE_CLIENT,
            EtcdCertificates.API_SERVER_CLIENT);

    /** Others restart their members for the same. */
    private static final EtcdRestart.Purpose PURPOSE =
            new EtcdRestart.Purpose("etcd certs renew", Duration.ofMinutes(2));

    private static final Duration SHOWN_LIMIT = Duration.ofMinutes(1);
    private static final Duration INTERVAL = Duration.ofMillis(500);

    private final Machine machine;
    private final HostFiles files;
    private final EtcdClients clients;
    private final EtcdHostPaths paths;
    private final CertificateProbe probe;
    private final Reporter out;

    /** @param probe looks at what is served */
    public EtcdCertificateRenewal(
            Machine machine,
            EtcdClients clients,
            EtcdHostPaths paths,
            CertificateProbe probe,
            Reporter out) {
        this.machine = machine;
        this.files = machine.files();
        this.clients = clients;
        this.paths = paths;
        this.probe = probe;
        this.out = out;
    }

    private LocalEtcdState etcd() {
        return StandaloneEtcdState.look(files, paths)
                .orElseThrow(() -> new HostException(
                        "no etcd member is known on this machine",
                        "there is no " + paths.environment(),
                        "run this on a machine that has a member"));
    }

    /** How many keys a renewal makes. */
    public static int keys() {
        return ALL.size();
    }

    /**
     * When the certificates in the files and those that are served end.
     *
     * @throws HostException if one of them cannot be read
     */
    public Expirations check() {
        LocalEtcdState etcd = etcd();
        Path directory = etcd.certificatesDir();
        PairExchange pairs = new PairExchange(files);
        ALL.stream()
                .map(base -> pair(directory, base))
                .filter(pair -> pairs.unfinished(pair.certificate(), pair.key()))
                .forEach(pair -> out.warn(
                        "a renewal of %s was interrupted and its key does not fit it: finish it with 'kjadm etcd certs renew'"
                                .formatted(pair.certificate())));
        boolean external = !files.exists(pair(directory, CA).key());
        return new Expirations(
                ALL.stream()
                        .map(base -> new Expiration(
                                base, Optional.of(CA), end(pair(directory, base)), external))
                        .toList(),
                List.of(new Expiration(CA, Optional.empty(), end(pair(directory, CA)), external)),
                servers(etcd).entrySet().stream()
                        .map(server -> new Served(
                                server.getKey(),
                                EtcdUrls.host(server.getValue()) + ":"
                                        + server.getValue().getPort(),
                                probe.look(server.getValue())))
                        .toList(),
                machine.observer().now());
    }

    /** Where the certificates of servers are shown, by their names. */
    private static Map<String, URI> servers(LocalEtcdState etcd) {
        Map<String, URI> servers = new LinkedHashMap<>();
        etcd.ownClientUrls().stream()
                .filter(EtcdCertificateRenewal::secured)
                .filter(url -> !EtcdUrls.loopback(url))
                .findFirst()
                .ifPresent(url -> servers.put(SERVERS.getFirst(), url));
        etcd.peerUrls().stream()
                .filter(EtcdCertificateRenewal::secured)
                .findFirst()
                .ifPresent(url -> servers.put(SERVERS.getLast(), url));
        return servers;
    }

    private static boolean secured(URI url) {
        return "https".equals(url.getScheme());
    }

    private Optional<Instant> end(Pair pair) {
        try {
            return files.read(pair.certificate())
                    .map(CertificateInfo::parse)
                    .map(CertificateInfo::notAfter);
        } catch (PkiException e) {
            throw new HostException(
                    "the certificate in %s cannot be read".formatted(pair.certificate()),
                    e.getMessage(),
                    "replace the file, or remove it to have it shown as missing",
                    e);
        }
    }

    private static Pair pair(Path directory, String base) {
        return new Pair(
                EtcdCertificates.certificate(directory, base),
                EtcdCertificates.key(directory, base));
    }

    /**
     * Makes them anew, restarts etcd if the others can do without it, and sees that the new ones
     * are served. All are signed before the first file is changed; a run that was interrupted is
     * finished by the next.
     *
     * @param keys of the new pairs
     * @param lock keeps other machines from restarting theirs meanwhile
     * @throws HostException if the CA or one of them cannot be used; nothing was renewed
     * @throws io.kjadm.core.error.ClusterException if the others cannot do without the member: the
     *     certificates are new then, and nothing was restarted
     */
    public void renew(KeyPairPool keys, MembershipLock lock) {
        LocalEtcdState etcd = etcd();
        Path directory = etcd.certificatesDir();
        PairExchange pairs = new PairExchange(files);
        for (String base : ALL) {
            Pair pair = pair(directory, base);
            if (pairs.finish(pair.certificate(), pair.key())) {
                out.step(AREA, "Finished an interrupted renewal of " + pair.certificate());
            }
        }
        Instant now = machine.observer().now();
        CertificateAuthority ca = authority(directory, now);
        Map<String, IssuedCertificate> signed = new LinkedHashMap<>();
        for (String base : ALL) {
            sign(pair(directory, base), base, ca, keys, now)
                    .ifPresent(issued -> signed.put(base, issued));
        }
        signed.forEach((base, issued) -> {
            Pair pair = pair(directory, base);
            pairs.replace(pair.certificate(), pair.key(), issued);
            out.step(AREA, "certificate %s renewed".formatted(pair.certificate()));
        });
        writeForControlPlanes(etcd, directory);
        restart(etcd, lock, now);
        awaitServed(etcd, signed);
    }

    private CertificateAuthority authority(Path directory, Instant now) {
        Pair pair = pair(directory, CA);
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
            if (!ca.info().isValidAt(now)) {
                throw new PkiException(
                        "it is valid from %s to %s only, and nobody would accept what it signs"
                                .formatted(ca.info().notBefore(), ca.info().notAfter()));
            }
            if (ca.info()
                    .notAfter()
                    .isBefore(now.plus(CertificateFiles.DEFAULT_CERTIFICATE_VALIDITY))) {
                out.warn("the CA ends on %s, before the certificates that it signs now"
                        .formatted(ca.info().notAfter()));
            }
            return ca;
        } catch (PkiException e) {
            throw new HostException(
                    "the CA %s cannot sign".formatted(pair.certificate()),
                    e.getMessage(),
                    "copy ca.crt and ca.key from another member to " + directory,
                    e);
        }
    }

    private Optional<IssuedCertificate> sign(
            Pair pair, String base, CertificateAuthority ca, KeyPairPool keys, Instant now) {
        Optional<String> pem = files.read(pair.certificate());
        if (pem.isEmpty()) {
            out.warn(
                    "%s is missing: make it with 'kjadm etcd init phase certs' where the cluster was founded, else with 'kjadm etcd join phase certs'"
                            .formatted(pair.certificate()));
            return Optional.empty();
        }
        try {
            CertificateInfo old = CertificateInfo.parse(pem.get());
            List<ExtendedUsage> usages = old.usages().isEmpty() ? usages(base) : old.usages();
            return Optional.of(ca.issue(
                    new LeafRequest(old.commonName(), old.organizations(), usages, old.names()),
                    keys,
                    Validity.startingAt(now, CertificateFiles.DEFAULT_CERTIFICATE_VALIDITY)));
        } catch (PkiException e) {
            throw new HostException(
                    "%s cannot be renewed".formatted(pair.certificate()),
                    e.getMessage(),
                    "move it and its key away, and have them made by 'kjadm etcd init phase certs' or 'join phase certs'",
                    e);
        }
    }

    private static List<ExtendedUsage> usages(String base) {
        return SERVERS.contains(base)
                ? List.of(ExtendedUsage.SERVER_AUTH, ExtendedUsage.CLIENT_AUTH)
                : List.of(ExtendedUsage.CLIENT_AUTH);
    }

    /** With the URLs of all voters there are now, if they can be had. */
    private void writeForControlPlanes(LocalEtcdState etcd, Path directory) {
        Pair client = pair(directory, EtcdCertificates.API_SERVER_CLIENT);
        Optional<String> ca = files.read(pair(directory, CA).certificate());
        Optional<String> certificate = files.read(client.certificate());
        Optional<String> key = files.read(client.key());
        if (ca.isEmpty() || certificate.isEmpty() || key.isEmpty()) {
            return;
        }
        new ExternalEtcdFile(endpoints(etcd), ca.get(), certificate.get(), key.get())
                .write(files, paths.externalEtcd());
        out.step(
                AREA,
                "Wrote %s; control planes that use this etcd keep the certificate they have until they get this one"
                        .formatted(paths.externalEtcd()));
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

    private void restart(LocalEtcdState etcd, MembershipLock lock, Instant now) {
        CertsNode node = new CertsNode(
                KubernetesPaths.withCertificates(etcd.certificatesDir()),
                true,
                KeyAlgorithm.DEFAULT,
                CertificateFiles.DEFAULT_CERTIFICATE_VALIDITY,
                now);
        SystemdEtcd service = new SystemdEtcd(files, machine.services(), machine.waiter(), paths);
        new EtcdRestart(clients, etcd, node, lock, machine.waiter(), out, PURPOSE)
                .guard(service::restart);
    }

    private void awaitServed(LocalEtcdState etcd, Map<String, IssuedCertificate> signed) {
        servers(etcd)
                .forEach((base, url) -> Optional.ofNullable(signed.get(base))
                        .map(issued ->
                                CertificateInfo.parse(issued.certificatePem()).serialNumber())
                        .ifPresent(serial -> awaitServed(base, url, serial)));
    }

    private void awaitServed(String base, URI url, BigInteger serial) {
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
