package io.kjadm.core.standalone;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdCertificateFiles;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.pki.CertificateMaker;
import io.kjadm.core.pki.CertificateMaker.CheckLevel;
import io.kjadm.core.pki.CertificateMaker.Leaf;
import io.kjadm.core.pki.CertificateMaker.Root;
import io.kjadm.core.pki.CertificateMaker.Run;
import io.kjadm.core.pki.CertificateMaker.Signer;
import io.kjadm.core.pki.CertificatePair;
import io.kjadm.core.pki.PairFile;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateFiles;
import io.kjadm.pki.ExtendedUsage;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.pki.LeafRequest;
import io.kjadm.pki.NameSelection;
import io.kjadm.pki.PublicKeyPin;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
    private static final List<ExtendedUsage> SERVES_AND_CALLS =
            List.of(ExtendedUsage.SERVER_AUTH, ExtendedUsage.CLIENT_AUTH);

    private static CertificatePair caFiles(Path directory) {
        return EtcdCertificateFiles.standalone(directory).ca();
    }

    /** The CA of a new cluster: the one that is here, or a new one. */
    CertificateAuthority foundAuthority(Path directory) {
        CertificatePair pair = caFiles(directory);
        PairFile file = new PairFile(files, pair);
        // of a run that was killed between key and certificate
        file.finish();
        Validity validity = Validity.startingAt(now, CertificateFiles.DEFAULT_CA_VALIDITY);
        if (!files.exists(pair.certificate()) && !files.exists(pair.key())) {
            CertificateAuthority ca = CertificateAuthority.create(CA_NAME, keys, validity);
            file.replace(new IssuedCertificate(ca.certificatePem(), ca.keyPem().orElseThrow()));
            out.step(AREA, "Generating \"ca\" certificate and key");
            return ca;
        }
        if (files.exists(pair.certificate())) {
            pair.validAuthority(files, now);
        }
        return new CertificateMaker(files, out)
                .provideCa(new Root("ca", pair, CA_NAME, validity), new Run(keys, now));
    }

    /**
     * Refuses to go on without the CA of a member that was set up before, whose files were lost.
     *
     * @throws HostException if it is not here: no member and no client would trust what etcd shows
     */
    void requireKnown(Path directory) {
        CertificatePair pair = caFiles(directory);
        if (!files.exists(pair.certificate())) {
            throw new HostException(
                    "the CA of this machine's member is not here",
                    "there is no %s, and another CA would be trusted by no member and no client"
                            .formatted(pair.certificate()),
                    "copy ca.crt and ca.key from another member or a backup to %s, then run the same command again"
                            .formatted(directory));
        }
    }

    /**
     * The CA of a cluster that is joined, with its key.
     *
     * @throws HostException if it is not here: a new one would be trusted by nobody
     */
    CertificateAuthority requireAuthority(Path directory, List<PublicKeyPin> pins) {
        CertificatePair pair = caFiles(directory);
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
        return caFiles(directory).validAuthority(files, now);
    }

    /** The CA that is here, and what else is trusted, for another machine. */
    CaBundle bundle(Path directory) {
        return CaBundle.of(
                files.read(caFiles(directory).certificate()).orElseThrow(), authority(directory));
    }

    /** Puts a CA here that came from elsewhere, unless one is here. */
    void adopt(Path directory, CaBundle bundle) {
        CertificateAuthority ca = bundle.authority();
        CertificatePair pair = caFiles(directory);
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
        CertificateMaker maker = new CertificateMaker(files, out);
        Path directory = settings.directories().certificates();
        Signer signer = new Signer("ca", caFiles(directory), ca);
        requests(settings).forEach((base, request) -> {
            Leaf leaf = new Leaf(
                    base,
                    CertificatePair.named(directory, base),
                    request,
                    Validity.startingAt(now, CertificateFiles.DEFAULT_CERTIFICATE_VALIDITY));
            // of a pair that a killed run left its key is kept: somebody may have signed for it
            maker.complete(leaf, signer);
            maker.provide(leaf, signer, CheckLevel.CHAIN_KEY_AND_NAMES, new Run(keys, now));
        });
    }

    /** By the names of their files. */
    private Map<String, LeafRequest> requests(MemberSettings settings) {
        String name = settings.name();
        Map<String, LeafRequest> requests = new LinkedHashMap<>();
        requests.put("server", server(name, names(settings, settings.serverCertSans())));
        requests.put("peer", server(name, names(settings, List.of())));
        requests.put(
                EtcdCertificateFiles.STANDALONE_CLIENT,
                LeafRequest.client(name + "-etcdctl", List.of()));
        requests.put(
                API_SERVER_CLIENT,
                LeafRequest.client(name + "-kube-apiserver-etcd-client", List.of()));
        return requests;
    }

    private static LeafRequest server(String name, SubjectNames names) {
        return new LeafRequest(name, List.of(), SERVES_AND_CALLS, names);
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
}
