package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.etcd.check.ClusterFacts;
import io.kjadm.etcd.compare.Client;
import io.kjadm.etcd.compare.Writer;
import io.kjadm.etcd.upgrade.EtcdDowngradePath;
import io.kjadm.etcd.upgrade.EtcdFlags;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule;
import io.kjadm.etcd.upgrade.EtcdUpgradePath;
import io.kjadm.etcd.upgrade.MemberTurnRules;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Three members get another version, one after the other, by the rules that the program asks and
 * with the flags that it gives them, while clients write. Members are processes here; that a member
 * is a pod makes no difference to the rules.
 */
class VersionChangeIT {

    private static final EtcdVersion MINOR_3_6 = new EtcdVersion(3, 6, 0);
    private static final List<String> NAMES = List.of("cp-1", "cp-2", "cp-3");
    private static final String[] AS_3_5 = {
        "--experimental-initial-corrupt-check=true",
        "--experimental-watch-progress-notify-interval=5s",
        "--snapshot-count=10000"
    };
    private static final int WRITES_PER_SECOND = 40;

    @TempDir
    Path folder;

    @RegisterExtension
    final EtcdProcesses etcds = new EtcdProcesses();

    private final Map<String, EtcdProcess> processes = new LinkedHashMap<>();
    private EtcdCluster cluster;
    private Writer writer;

    private static EtcdBinary of(int minor) {
        return EtcdBinary.anyOf(version -> version.major() == 3 && version.minor() == minor);
    }

    private void start(EtcdBinary binary) throws Exception {
        Map<String, URI> urls = new LinkedHashMap<>();
        NAMES.forEach(name -> urls.put(name, EtcdProcess.freeUrl()));
        for (EtcdProcess one : EtcdProcess.together(binary, folder, urls)) {
            EtcdProcess process = one.with(AS_3_5);
            processes.put(process.name(), etcds.start(process));
        }
        List<URI> clients = clients();
        cluster = etcds.connect(EtcdAccess.plain(clients));
        EtcdProcesses.until("all to be healthy", () -> healthy(binary.version(), 3));
        writer = new Writer(clients, WRITES_PER_SECOND);
        EtcdProcesses.until("the first writes", () -> writer.acknowledged() > WRITES_PER_SECOND);
    }

    private List<URI> clients() {
        return processes.values().stream().map(EtcdProcess::clientUrl).toList();
    }

    private boolean healthy(EtcdVersion version, int members) {
        EtcdHealth health = EtcdHealth.ask(cluster);
        return health.allVotersHealthy()
                && health.leader().isPresent()
                && health.statuses().values().stream()
                                .filter(status -> status.version().equals(version))
                                .count()
                        == members;
    }

    private EtcdUpgradePath.Facts facts(EtcdVersion target, Optional<MemberId> own) {
        return new EtcdUpgradePath.Facts(
                new ClusterFacts(EtcdHealth.ask(cluster), Map.of()), target, own, Map.of());
    }

    /** Of all members, the leader's last; each is asked for as if nothing could be skipped. */
    private void change(
            EtcdBinary to,
            Set<Rule> skipped,
            Function<EtcdUpgradePath.Facts, List<EtcdUpgradeFinding>> rules)
            throws Exception {
        EtcdVersion target = to.version();
        List<Member> order = MemberTurnRules.pending(facts(target, Optional.empty()));
        for (Member member : order) {
            EtcdUpgradePath.Facts facts = facts(target, Optional.of(member.id()));
            List<EtcdUpgradeFinding> gates = new ArrayList<>(rules.apply(facts));
            gates.addAll(MemberTurnRules.turn(facts));
            MemberTurnRules.hashes(facts.cluster().health(), hashes()).ifPresent(gates::add);
            assertEquals(
                    List.of(),
                    gates.stream()
                            .filter(gate -> gate.severity().stops(skipped.contains(gate.rule())))
                            .toList());
            exchange(member, to);
        }
        assertEquals(Optional.empty(), MemberTurnRules.hashes(EtcdHealth.ask(cluster), hashes()));
    }

    private void exchange(Member member, EtcdBinary to) throws Exception {
        EtcdHealth before = EtcdHealth.ask(cluster);
        before.successorOf(member).ifPresent(next -> cluster.moveLeader(member.id(), next.id()));
        EtcdProcesses.until(
                "another one to lead",
                () -> EtcdHealth.ask(cluster)
                        .leader()
                        .filter(leader -> !leader.id().equals(member.id()))
                        .isPresent());
        EtcdProcess old = processes.get(member.name());
        EtcdFlags flags = EtcdFlags.of(old.flags(), old.binary().version(), to.version());
        assertEquals(List.of(), flags.dropped());
        old.stop();
        EtcdProcess process = old.by(to, flags.arguments());
        processes.put(member.name(), etcds.start(process));
        EtcdProcesses.until(
                member.name() + " to come back as " + to + ", see " + process.log(),
                () -> EtcdHealth.ask(cluster).allVotersHealthy()
                        && cluster.status(process.clientUrl()).version().equals(to.version()));
    }

    /** All at one revision: writes go on between two answers. */
    private Map<MemberId, KvHash> hashes() {
        List<Member> members = cluster.members();
        long revision =
                cluster.hashKv(members.getFirst().clientUrls().getFirst(), 0).revision();
        assertTrue(revision > 1, "nothing was written");
        Map<MemberId, KvHash> hashes = new HashMap<>();
        for (Member member : members) {
            // one that is a few writes behind has it in a moment
            EtcdProcesses.until(
                    member.label() + " to hold revision " + revision,
                    () -> hashes.put(
                                    member.id(),
                                    cluster.hashKv(member.clientUrls().getFirst(), revision))
                            == null);
        }
        return hashes;
    }

    private void assertNothingLost() {
        writer.end();
        try (Client reader = new Client(clients())) {
            assertEquals(0, writer.lost(reader), "acknowledged writes are gone");
        }
        System.out.printf(
                "%d writes acknowledged, %d not within their limit%n",
                writer.acknowledged(), writer.failed());
        // raft drops what is proposed while leadership is handed over
        assertTrue(
                writer.failed() <= 2 * WRITES_PER_SECOND,
                "writes were kept waiting: " + writer.failed());
    }

    @Test
    void threeMembersGetAPatchReleaseWhileClientsWrite() throws Exception {
        List<EtcdBinary> found =
                EtcdBinary.found(version -> version.major() == 3 && version.minor() == 5);
        assumeTrue(found.size() > 1, "there is one release of etcd 3.5 only: " + found);
        start(found.getFirst());

        change(found.getLast(), Set.of(), EtcdUpgradePath::findings);

        EtcdProcesses.until("all to be new", () -> healthy(found.getLast().version(), 3));
        assertNothingLost();
    }

    @Test
    void threeMembersGoUpAMinorAndDownAgainWhileClientsWrite() throws Exception {
        EtcdBinary newer = of(6);
        EtcdBinary older = of(5);
        start(older);

        // 3.5.30 is older than etcd advises: without the word of an operator it is refused
        if (older.version().compareTo(new EtcdVersion(3, 5, 32)) < 0) {
            assertTrue(EtcdUpgradePath.findings(facts(newer.version(), Optional.empty())).stream()
                    .anyMatch(gate ->
                            gate.rule() == Rule.PATCH_FIRST && gate.severity().stops(false)));
        }
        change(newer, Set.of(Rule.PATCH_FIRST), EtcdUpgradePath::findings);

        EtcdProcesses.until(
                "the cluster version to rise",
                () -> MINOR_3_6.equals(cluster.validateDowngrade(older.version())));
        EtcdProcesses.until("the data to be of 3.6", () -> stored(MINOR_3_6));

        EtcdUpgradePath.Facts down = facts(older.version(), Optional.empty());
        assertEquals(List.of(), EtcdDowngradePath.ofCluster(down));
        assertEquals(
                List.of(Rule.DOWNGRADE_ENABLED),
                EtcdDowngradePath.ofMember(down).stream()
                        .map(EtcdUpgradeFinding::rule)
                        .toList());
        var noSuch = assertThrows(
                EtcdCallException.class, () -> cluster.validateDowngrade(new EtcdVersion(3, 4, 0)));
        assertEquals(EtcdErrors.NO_SUCH_DOWNGRADE, noSuch.text());
        assertEquals(ErrorClass.FATAL, noSuch.errorClass());
        // etcd says nothing where there is none to be cancelled
        cluster.cancelDowngrade();
        assertTrue(stored(MINOR_3_6));

        cluster.enableDowngrade(older.version());
        cluster.cancelDowngrade();
        EtcdProcesses.until(
                "the downgrade to be cancelled",
                () -> EtcdHealth.ask(cluster).downgradeUnderWay().isEmpty() && stored(MINOR_3_6));

        cluster.enableDowngrade(older.version());
        EtcdVersion minor = new EtcdVersion(3, 5, 0);
        assertEquals(
                Optional.of(minor),
                EtcdHealth.ask(cluster).leaderStatus().orElseThrow().versions().downgradeTarget());
        var twice = assertThrows(
                EtcdCallException.class, () -> cluster.validateDowngrade(older.version()));
        assertTrue(
                Set.of(EtcdErrors.DOWNGRADE_UNDER_WAY, EtcdErrors.NO_SUCH_DOWNGRADE)
                        .contains(twice.text()),
                twice::getMessage);
        EtcdProcesses.until("the data to be of 3.5", () -> stored(minor));

        change(older, Set.of(), EtcdDowngradePath::ofMember);

        EtcdProcesses.until(
                "etcd to end the downgrade",
                () -> minor.equals(cluster.validateDowngrade(new EtcdVersion(3, 4, 0))));
        assertTrue(healthy(older.version(), 3));
        assertNothingLost();
    }

    private boolean stored(EtcdVersion version) {
        return EtcdHealth.ask(cluster).statuses().values().stream()
                .allMatch(status ->
                        status.versions().storage().filter(version::equals).isPresent());
    }
}
