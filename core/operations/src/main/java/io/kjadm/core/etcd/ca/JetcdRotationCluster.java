package io.kjadm.core.etcd.ca;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdValues;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.PrivateKeyPem;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The etcd that this node's files tell of. */
public final class JetcdRotationCluster implements CaRotationCluster {

    private static final CertificateSpec CLIENT =
            CertificateSet.named(CertificateSet.ETCD_HEALTHCHECK_CLIENT);
    private static final Duration VALIDITY = Duration.ofHours(1);

    private static final Set<ErrorClass> PASSING =
            Set.of(ErrorClass.TRANSIENT, ErrorClass.WAIT, ErrorClass.AMBIGUOUS);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration INTERVAL = Duration.ofMillis(500);

    private final EtcdClients clients;
    private final LocalEtcdState local;
    private final Path certificatesDir;
    private final Function<EtcdAccess, EtcdValues> opening;

    /** @param opening opens the texts in etcd */
    public JetcdRotationCluster(
            EtcdClients clients,
            LocalEtcdState local,
            Path certificatesDir,
            Function<EtcdAccess, EtcdValues> opening) {
        this.clients = clients;
        this.local = local;
        this.certificatesDir = certificatesDir;
        this.opening = opening;
    }

    private EtcdAccess access() {
        return clients.to(local.clientUrls(), certificatesDir);
    }

    @Override
    public List<Member> members() {
        return asked(() -> {
            try (EtcdCluster etcd = clients.connect(access())) {
                return etcd.members();
            }
        });
    }

    @Override
    public MemberId own() {
        URI url = ownUrl();
        return asked(() -> {
            try (EtcdCluster etcd = clients.connect(access())) {
                return etcd.status(url).memberId();
            }
        });
    }

    @Override
    public void compact() {
        URI url = ownUrl();
        asked(() -> {
            try (EtcdCluster etcd = clients.connect(access())) {
                etcd.compact(etcd.revision(url));
                return true;
            } catch (EtcdCallException e) {
                if (e.errorClass() == ErrorClass.DONE) {
                    return true;
                }
                throw e;
            }
        });
    }

    private URI ownUrl() {
        return Stream.of(local.localClientUrls(), local.ownClientUrls())
                .flatMap(Collection::stream)
                .findFirst()
                .orElseThrow(() -> new HostException(
                        "where etcd serves on this machine is not known",
                        "its settings name no client URL",
                        "see 'kjadm etcd status'"));
    }

    @Override
    public List<String> refusals(
            List<Member> members, String trustPem, CertificateAuthority signer) {
        IssuedCertificate client = signer.issue(
                CLIENT.requestFor("", SubjectNames.none()),
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(clients.observer().now(), VALIDITY));
        List<String> refusals = new ArrayList<>();
        try (EtcdCluster etcd = clients.connect(new EtcdAccess(
                access().endpoints(),
                trustPem,
                client.certificatePem(),
                PrivateKeyPem.toPkcs8(client.keyPem())))) {
            for (Member member : members) {
                EtcdCallException.of(() -> etcd.status(member))
                        .ifPresent(e -> refusals.add(member.describe() + ": " + e.text()));
            }
        }
        return refusals;
    }

    @Override
    public <T> T values(Function<EtcdValues, T> work) {
        return asked(() -> {
            try (EtcdValues values = opening.apply(access())) {
                return work.apply(values);
            }
        });
    }

    /**
     * What others do meanwhile may keep an answer away for some seconds. To ask again is safe: the
     * texts that are written are the same each time.
     */
    private <T> T asked(Supplier<T> question) {
        Waiter observer = clients.observer();
        Instant until = observer.now().plus(PATIENCE);
        while (true) {
            try {
                return question.get();
            } catch (EtcdCallException e) {
                if (!PASSING.contains(e.errorClass()) || !observer.now().isBefore(until)) {
                    throw new ClusterException(
                            "etcd does not answer",
                            e.getMessage(),
                            "see 'kjadm etcd status', then run the command again",
                            e);
                }
                observer.pause("rotate-ca", e.text(), INTERVAL);
            }
        }
    }
}
