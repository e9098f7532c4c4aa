package io.kjadm.core.restore;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.Forwarding;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.RestoreStep;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.SnapshotBytes;

import org.junit.jupiter.api.BeforeEach;

import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A node of three that is to be restored, and what is left of the cluster that it was in. */
abstract class OldClusterScene {

    static final URI VIP = URI.create("https://vip:2379");
    static final Path ASIDE = Path.of("/var/lib/etcd.replaced-20261126-030000");

    final RestoringNode node = new RestoringNode(3);
    final MemoryFiles files = node.lab.init.files;
    final List<EtcdAccess> accesses = new ArrayList<>();
    final List<URI> probed = new ArrayList<>();
    NamedSource source = NamedSource.of("c1");
    List<String> declared = List.of();
    int leaderKnownFor;
    OldClusterCheck check;

    /** The cluster with this node behind a virtual address, too. */
    final class Seen extends Forwarding {

        Seen() {
            super(node.etcd);
        }

        @Override
        public MemberStatus status(URI clientUrl) {
            if (clientUrl.equals(VIP)) {
                return super.status(URI.create("https://127.0.0.1:2379"));
            }
            MemberStatus now = super.status(clientUrl);
            if (leaderKnownFor == 0) {
                return now;
            }
            leaderKnownFor--;
            return new MemberStatus(
                    now.ids(),
                    node.etcd.id("cp-2"),
                    now.versions(),
                    now.database(),
                    now.raft(),
                    now.learner(),
                    List.of());
        }
    }

    @BeforeEach
    void begin() {
        EtcdClients clients = new EtcdClients(
                files,
                node.lab.clients(files),
                access -> {
                    accesses.add(access);
                    return new Seen();
                },
                node.lab.waiter);
        check = new OldClusterCheck(
                files,
                node.etcd(files),
                clients,
                url -> {
                    probed.add(url);
                    return node.listening.contains(url);
                },
                declared,
                node.lab.out);
    }

    void declare(String... names) {
        declared = List.of(names);
        begin();
    }

    void stop(String... names) {
        List.of(names).forEach(name -> node.etcd.stop(node.etcd.id(name)));
    }

    /** This node's etcd does not serve, and stays so. */
    void stopOwn() {
        node.etcdFails = true;
        stop("cp-1");
    }

    void database(Member... members) {
        files.with(RestoringNode.DATABASE, SnapshotBytes.listing(List.of(members)));
    }

    static Member member(int number, String name, List<URI> clientUrls) {
        return new Member(
                new MemberId(number),
                name,
                List.of(URI.create(
                        number == 1
                                ? "https://192.0.2.10:2380"
                                : "https://cp-%d:2380".formatted(number))),
                clientUrls,
                false);
    }

    void journal(RestoreStep step) {
        new RestoreJournal(files, node.etcd(files), Failpoints.Fuse.none())
                .write(new RestoreEntry(
                        "s",
                        source.command(),
                        Instant.EPOCH,
                        "token",
                        ASIDE,
                        step,
                        Optional.empty()));
    }

    OldClusterCheck.Seen require() {
        return check.require(source);
    }

    ClusterException refused() {
        return assertThrows(ClusterException.class, this::require);
    }
}
