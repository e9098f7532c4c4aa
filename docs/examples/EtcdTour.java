import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Removal;
import io.kjadm.etcd.api.Addition;
import io.kjadm.etcd.api.MembershipOperations;
import io.kjadm.etcd.api.Snapshots;
import io.kjadm.etcd.snapshot.SnapshotVerifier.Verdict;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * kjadm's etcd module as a library: shows the members, saves a snapshot and looks into it, adds a
 * learner and removes it again. The build compiles it and runs it against a real etcd.
 *
 * <pre>java EtcdTour http://127.0.0.1:2379 snapshot.db https://10.0.0.14:2380</pre>
 */
public final class EtcdTour {

    private EtcdTour() {}

    public static void main(String[] words) throws IOException, InterruptedException {
        URI client = URI.create(words[0]);
        Path file = Path.of(words[1]);
        URI newPeer = URI.create(words[2]);
        // with TLS: new EtcdAccess(endpoints, caPem, clientCertificatePem, pkcs8KeyPem)
        EtcdAccess access = EtcdAccess.plain(List.of(client));

        try (MembershipOperations members = MembershipOperations.on(access)) {
            show(members.look());
            save(access, client, file);
            MemberId learner = add(members, newPeer);
            remove(members, learner);
            show(members.look());
        }
    }

    private static void show(EtcdHealth health) {
        for (Member member : health.members()) {
            System.out.println(member.describe()
                    + (health.healthy(member) ? " is healthy" : ": " + health.problem(member)));
        }
        System.out.println(health.quorumText());
    }

    private static void save(EtcdAccess access, URI client, Path file) throws IOException {
        try (Snapshots snapshots = Snapshots.of(access);
                OutputStream into = Files.newOutputStream(file)) {
            System.out.println("saved: " + text(snapshots.save(client, into)));
        }
        try (InputStream from = Files.newInputStream(file)) {
            System.out.println("read again: " + text(Snapshots.verify(from)));
        }
    }

    private static String text(Verdict verdict) {
        return switch (verdict) {
            case Verdict.Whole whole ->
                "revision %d, %d bytes"
                        .formatted(whole.content().revision(), whole.content().databaseBytes());
            case Verdict.Damaged damaged -> "damaged: " + damaged.why();
        };
    }

    private static MemberId add(MembershipOperations members, URI peerUrl)
            throws InterruptedException {
        while (true) {
            switch (members.addLearner(peerUrl)) {
                case Addition.Added added -> {
                    System.out.println(
                            "start it with --initial-cluster=" + added.initialCluster("new"));
                    return added.learner().id();
                }
                case Addition.Refused refused ->
                    throw new IllegalStateException(refused.problem().toString());
                case Addition.Unknown unknown -> Thread.sleep(unknown.pause());
            }
        }
    }

    private static void remove(MembershipOperations members, MemberId member)
            throws InterruptedException {
        while (true) {
            switch (members.remove(member, Removal.Progress.NONE)) {
                case Removal.Confirmed confirmed -> {
                    System.out.println("removed " + confirmed.member().describe());
                    return;
                }
                case Removal.MustWait wait -> Thread.sleep(wait.pause());
                case Removal.Declined declined ->
                    throw new IllegalStateException(declined.plan().toString());
                case Removal.StillListed listed -> throw new IllegalStateException(listed.why());
            }
        }
    }
}
