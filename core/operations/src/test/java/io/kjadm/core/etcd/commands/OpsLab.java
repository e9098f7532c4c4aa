package io.kjadm.core.etcd.commands;

import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.ReportingEtcdCluster;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.lock.OwnTurn;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.ReportingWaiter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinState;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.Validity;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Control-plane node cp-1 of a stacked cluster, whose operator looks after etcd. */
public final class OpsLab {

    private static final CertificateAuthority CA = CertificateAuthority.create(
            "etcd-ca",
            KeyAlgorithm.ECDSA_P256,
            Validity.startingAt(new VirtualWaiter().now(), Duration.ofDays(90)));

    public final MemoryFiles files = new MemoryFiles()
            .with("/etc/kubernetes/pki/etcd/ca.crt", CA.certificatePem())
            .with("/etc/kubernetes/pki/etcd/ca.key", CA.keyPem().orElseThrow());
    public final VirtualWaiter waiter = new VirtualWaiter();
    public final RecordingReporter out = new RecordingReporter();
    final List<EtcdAccess> accesses = new ArrayList<>();
    public final List<EtcdStatus> refusals = new ArrayList<>();
    public final List<URI> hinted = new ArrayList<>();
    /** Who took a turn, and after which changes it was given back. */
    public final List<String> turns = new ArrayList<>();

    public final SimulatedCluster etcd;
    public MembershipLeaseStatus lock = new MembershipLeaseStatus.Free();

    public OpsLab(int voters) {
        this(SimulatedCluster.ofVoters(voters));
    }

    public OpsLab(SimulatedCluster etcd) {
        this.etcd = etcd;
    }

    /** With etcd's manifest on the node. */
    public OpsLab onControlPlane() {
        files.with("/etc/kubernetes/manifests/etcd.yaml", """
                apiVersion: v1
                kind: Pod
                metadata: {name: etcd}
                spec:
                  containers:
                  - name: etcd
                    command:
                    - etcd
                    - --name=cp-1
                    - --initial-advertise-peer-urls=https://cp-1:2380
                    - --advertise-client-urls=https://cp-1:2379
                    - --initial-cluster=cp-2=https://cp-2:2380,cp-1=https://cp-1:2380
                    - --initial-cluster-state=existing
                  volumes:
                  - hostPath: {path: /etc/kubernetes/pki/etcd}
                    name: etcd-certs
                  - hostPath: {path: /var/lib/etcd}
                    name: etcd-data
                """);
        return this;
    }

    public MemberId learner(String name) {
        return etcd.plant(SimulatedCluster.peerUrl(name), true);
    }

    public MemberId startedLearner(String name) {
        MemberId id = learner(name);
        etcd.start(id, name);
        return id;
    }

    public MembershipLeaseStatus.Held held(String holder, Duration ago, boolean alive) {
        return new MembershipLeaseStatus.Held(
                holder, Optional.of(waiter.now().minus(ago)), waiter.now(), alive);
    }

    public EtcdConnector connector() {
        return access -> {
            accesses.add(access);
            return etcd;
        };
    }

    ClusterLookup hints() {
        return new ClusterLookup() {
            @Override
            public List<URI> endpoints() {
                return List.copyOf(hinted);
            }

            @Override
            public MembershipLeaseStatus lock() {
                return lock;
            }
        };
    }

    public EtcdSession open(String... endpoints) {
        return open(EtcdTarget.of(List.of(endpoints), Optional.empty()), connector());
    }

    public EtcdSession open(EtcdTarget target, EtcdConnector connector) {
        return open(target, connector, waiter);
    }

    /** @param clock the real one if the members are real: some waits are by the time that passed */
    public EtcdSession open(EtcdTarget target, EtcdConnector connector, Waiter clock) {
        return new EtcdSession(
                new EtcdClients(files, noApi(), connector, clock),
                hints(),
                LocalEtcdState.look(files, KubernetesPaths.standard()),
                target);
    }

    private KubeClients noApi() {
        return new KubeClients(files, access -> {
            throw new AssertionError("the API server is asked by the lookup only");
        });
    }

    MembershipChanges changes() {
        return changes(open(), turns(), waiter);
    }

    MembershipChanges changes(EtcdSession session, MembershipLock lock, Waiter clock) {
        return new MembershipChanges(
                session, new MembershipSteps(session, lock, clock, out, refusals::add), out);
    }

    /** With {@code --dry-run}. */
    MembershipChanges dryRun() {
        EtcdSession session = open(
                new EtcdTarget(List.of(), Optional.empty()),
                ReportingEtcdCluster.connector(connector(), out));
        return changes(session, turns(), new ReportingWaiter(waiter::now, out));
    }

    /** What the commands are made of. */
    public MembershipSteps steps(EtcdSession session, Waiter clock) {
        return new MembershipSteps(session, turns(), clock, out, refusals::add);
    }

    /** What others do before its turn comes. */
    public Runnable meanwhile = () -> {};
    /** Why the lock is lost by now, if it is. */
    public Optional<String> lost = Optional.empty();

    public MembershipLock turns() {
        return (work, wait) -> {
            turns.add("take " + work.operation());
            meanwhile.run();
            return new OwnTurn() {
                @Override
                public Optional<String> lost() {
                    return lost;
                }

                @Override
                public void close() {
                    turns.add("give back after " + etcd.changes());
                }
            };
        };
    }

    public List<String> names() {
        return etcd.members().stream().map(Member::label).toList();
    }

    Instant now() {
        return waiter.now();
    }

    /** This node notes, as an unfinished join does, that it added the member. */
    void noteAdded(MemberId id) {
        noteAdded(id, List.of());
    }

    /** The same with the members it had found. */
    void noteAdded(MemberId id, List<Member> before) {
        new JournalFile(files, Path.of("/etc/kubernetes/tmp"))
                .write(new JoinEntry(
                        JoinState.ADDED,
                        "earlier",
                        "c1",
                        "cp-4",
                        URI.create("https://192.0.2.14:2380"),
                        waiter.now(),
                        before,
                        Optional.of(id),
                        Optional.empty(),
                        0,
                        false));
    }
}
