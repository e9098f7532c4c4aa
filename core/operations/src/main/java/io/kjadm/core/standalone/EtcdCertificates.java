package io.kjadm.core.standalone;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdCertificateFiles;
import io.kjadm.core.etcd.EtcdCertificateFiles.Pair;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.AddressText;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateFiles;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.ExtendedUsage;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.pki.LeafRequest;
import io.kjadm.pki.NameSelection;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.PublicKeyPin;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The certificates of a member: takes what is there after checking it, makes what is missing.
 * Running it again changes nothing. Their files are called as etcdadm called them.
 *
 * @param now when what is made begins
 */
record EtcdCertificates(HostFiles files, KeyPairPool keys, Instant now, Reporter out) {

    /** What the API server shows to etcd. */
    static final String API_SERVER_CLIENT = "apiserver-etcd-client";

    private static final String AREA = "certs";
    private static final String CA_NAME = "etcd-ca";
    private static final String REPLACE =
            "move it and its key away to generate them again, or put the right pair there";

    private static final List<ExtendedUsage> SERVES_AND_CALLS =
            List.of(ExtendedUsage.SERVER_AUTH, ExtendedUsage.CLIENT_AUTH);

    /** A certificate of the member. */
    private record Leaf(
            String base, String commonName, List<ExtendedUsage> usages, SubjectNames names) {

        LeafRequest request() {
            return new LeafRequest(commonName, List.of(), usages, names);
        }
    }

    private static Pair caFiles(Path directory) {
        return EtcdCertificateFiles.standalone(directory).ca();
    }

    /** The CA of a new cluster: the one that is here, or a new one. */
    CertificateAuthority foundAuthority(Path directory) {
        Pair pair = caFiles(directory);
        if (files.exists(pair.certificate())) {
            CertificateAuthority ca = authority(directory);
            out.step(AREA, "Using the existing CA in %s".formatted(pair.certificate()));
            return ca;
        }
        if (files.exists(pair.key())) {
            throw new HostException(
                    "there is a key %s without its certificate".formatted(pair.key()),
                    "%s is missing, and a new one would not match what it has signed"
                            .formatted(pair.certificate()),
                    "restore the certificate, or move the key away");
        }
        CertificateAuthority ca = CertificateAuthority.create(
                CA_NAME, keys, Validity.startingAt(now, CertificateFiles.DEFAULT_CA_VALIDITY));
        pair.write(files, ca.certificatePem(), ca.keyPem().orElseThrow());
        out.step(AREA, "Generating \"ca\" certificate and key");
        return ca;
    }

    /**
     * The CA of a cluster that is joined, with its key.
     *
     * @throws HostException if it is not here: a new one would be trusted by nobody
     */
    CertificateAuthority requireAuthority(Path directory, List<PublicKeyPin> pins) {
        Pair pair = caFiles(directory);
        for (Path file : List.of(pair.certificate(), pair.key())) {
            if (!files.exists(file)) {
                throw new HostException(
                        "the cluster's CA is not on this machine",
                        "there is no %s, and another CA would be trusted by no member"
                                .formatted(file),
                        "join with --bundle FILE and its certificate key, or copy ca.crt and ca.key from a member to "
                                + directory);
            }
        }
        CertificateAuthority ca = authority(directory);
        if (!pins.isEmpty() && !PublicKeyPin.anyMatches(pins, List.of(ca.info()))) {
            throw new HostException(
                    "the CA on this machine is not the one that is asked for",
                    "the public key of %s is %s"
                            .formatted(pair.certificate(), ca.info().pin()),
                    "compare with the command that 'kjadm etcd init' has printed, and put the cluster's CA here");
        }
        out.step(AREA, "Using the cluster's CA in %s".formatted(pair.certificate()));
        return ca;
    }

    private CertificateAuthority authority(Path directory) {
        Pair pair = caFiles(directory);
        try {
            CertificateAuthority ca = CertificateAuthority.load(
                    files.read(pair.certificate()).orElseThrow(), files.read(pair.key()));
            Optional<String> unfit =
                    ca.unfitness().or(() -> ca.info().outOfDate(now).map(why -> "it " + why));
            if (unfit.isPresent()) {
                throw new HostException(
                        "%s cannot be used".formatted(pair.certificate()),
                        unfit.get(),
                        "put the right pair there; if there is no cluster of it yet, move it away to generate one");
            }
            return ca;
        } catch (PkiException e) {
            throw new HostException(
                    "%s or its key cannot be used".formatted(pair.certificate()),
                    e.getMessage(),
                    "put the right pair there",
                    e);
        }
    }

    /** The CA that is here, and what else is trusted, for another machine. */
    CaBundle bundle(Path directory) {
        return CaBundle.of(
                files.read(caFiles(directory).certificate()).orElseThrow(), authority(directory));
    }

    /** Puts a CA here that came from elsewhere, unless one is here. */
    void adopt(Path directory, CaBundle bundle) {
        CertificateAuthority ca = bundle.authority();
        Pair pair = caFiles(directory);
        if (files.exists(pair.certificate()) && files.exists(pair.key())) {
            CertificateAuthority present = authority(directory);
            if (!present.info().pin().equals(ca.info().pin())) {
                throw new HostException(
                        "there is another CA on this machine than in the bundle",
                        "the public key of %s is %s, of the bundle's %s"
                                .formatted(
                                        pair.certificate(),
                                        present.info().pin(),
                                        ca.info().pin()),
                        "move the certificates of another cluster away from " + directory);
            }
            return;
        }
        pair.write(files, bundle.certificatesPem(), ca.keyPem().orElseThrow());
        out.step(AREA, "Extracted the cluster's CA from the bundle");
    }

    /** The certificates of a member and its clients. */
    void provide(MemberSettings settings, CertificateAuthority ca) {
        leaves(settings).forEach(leaf -> provide(settings.directories().certificates(), leaf, ca));
    }

    private List<Leaf> leaves(MemberSettings settings) {
        return List.of(
                new Leaf(
                        "server",
                        settings.name(),
                        SERVES_AND_CALLS,
                        names(settings, settings.serverCertSans())),
                new Leaf("peer", settings.name(), SERVES_AND_CALLS, names(settings, List.of())),
                client(EtcdCertificateFiles.STANDALONE_CLIENT, settings.name() + "-etcdctl"),
                client(API_SERVER_CLIENT, settings.name() + "-kube-apiserver-etcd-client"));
    }

    private static Leaf client(String base, String commonName) {
        return new Leaf(base, commonName, List.of(ExtendedUsage.CLIENT_AUTH), SubjectNames.none());
    }

    private SubjectNames names(MemberSettings settings, List<String> extra) {
        NameSelection selection = SubjectNames.forEtcd(settings.name(), settings.address(), extra);
        selection
                .dropped()
                .forEach(name -> out.warn(
                        "name %s is left out of the server certificate: it is neither an IP address nor a DNS name"
                                .formatted(name)));
        return selection.names();
    }

    private void provide(Path directory, Leaf leaf, CertificateAuthority ca) {
        Pair pair = Pair.named(directory, leaf.base());
        Optional<String> pem = files.read(pair.certificate());
        if (pem.isPresent()) {
            check(pair, pem.get(), leaf, ca);
            out.step(AREA, "Using existing %s certificate and key".formatted(leaf.base()));
            return;
        }
        // of a pair that a killed run left its key is kept: somebody may have signed for it
        IssuedCertificate issued = files.read(pair.key())
                .map(kept -> ca.issueFor(kept, leaf.request(), validity()))
                .orElseGet(() -> ca.issue(leaf.request(), keys, validity()));
        pair.write(files, issued.certificatePem(), issued.keyPem());
        out.step(
                AREA,
                leaf.names().isEmpty()
                        ? "Generating \"%s\" certificate and key".formatted(leaf.base())
                        : "Generating \"%s\" certificate and key for %s"
                                .formatted(leaf.base(), text(leaf.names())));
    }

    private static String text(SubjectNames names) {
        return Stream.concat(
                        names.dnsNames().stream(), names.addresses().stream().map(AddressText::of))
                .collect(Collectors.joining(", "));
    }

    private Validity validity() {
        return Validity.startingAt(now, CertificateFiles.DEFAULT_CERTIFICATE_VALIDITY);
    }

    private void check(Pair pair, String pem, Leaf leaf, CertificateAuthority ca) {
        Path key = pair.key();
        try {
            verify(caFiles(key.getParent()).certificate(), ca, pem);
            CertificateInfo info = CertificateInfo.parse(pem);
            Optional<String> fault = Stream.of(
                            Optional.of("its key %s is missing".formatted(key))
                                    .filter(why -> !files.exists(key)),
                            Optional.of("%s is the key of another certificate".formatted(key))
                                    .filter(why -> files.read(key)
                                            .filter(text -> !info.matchesKey(text))
                                            .isPresent()),
                            Optional.of("it is not valid for " + text(info.missing(leaf.names())))
                                    .filter(why -> !info.covers(leaf.names())))
                    .flatMap(Optional::stream)
                    .findFirst();
            if (fault.isPresent()) {
                throw unusable(pair.certificate(), fault.get());
            }
        } catch (PkiException e) {
            throw unusable(pair.certificate(), e.getMessage(), e);
        }
    }

    /** While the CA is rotated, what the one that is trusted beside it has signed will do. */
    private void verify(Path caFile, CertificateAuthority ca, String pem) {
        try {
            ca.verify(pem, now);
        } catch (PkiException e) {
            boolean trusted = CertificateInfo.parseAll(files.read(caFile).orElseThrow()).stream()
                    .skip(1)
                    .map(other -> CertificateAuthority.load(other.pem(), Optional.empty()))
                    .anyMatch(other -> signed(other, pem));
            if (!trusted) {
                throw e;
            }
        }
    }

    private boolean signed(CertificateAuthority ca, String pem) {
        try {
            ca.verify(pem, now);
            return true;
        } catch (PkiException e) {
            return false;
        }
    }

    private static HostException unusable(Path certificate, String why) {
        return new HostException("%s cannot be used".formatted(certificate), why, REPLACE);
    }

    private static HostException unusable(Path certificate, String why, Throwable cause) {
        return new HostException("%s cannot be used".formatted(certificate), why, REPLACE, cause);
    }
}
