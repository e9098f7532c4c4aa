package io.kjadm.etcd.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Severity;

import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** {@code cp-1} leads. */
class MemberTurnRulesTest {

    private Cluster cluster = Cluster.of("3.6.8", "3.6.8", "3.6.8");
    private final Map<MemberId, KvHash> hashes = new HashMap<>();

    private EtcdUpgradePath.Facts facts(int own) {
        return new EtcdUpgradePath.Facts(
                cluster.facts(),
                EtcdVersion.parse("3.6.14"),
                Optional.of(cluster.node(own).member.id()),
                Map.of());
    }

    private String turn(int own) {
        return MemberTurnRules.turn(facts(own)).stream()
                .map(finding -> finding.rule() + " " + finding.severity())
                .collect(Collectors.joining(", "));
    }

    @Test
    void theLeaderWaitsUntilTheOthersAreDone() {
        assertEquals("LEADER_LAST SKIPPABLE", turn(1));
        assertEquals("", turn(2));
        cluster.node(2).version = EtcdVersion.parse("3.6.14");
        assertEquals("LEADER_LAST SKIPPABLE", turn(1));
        cluster.node(3).version = EtcdVersion.parse("3.6.14");
        assertEquals("", turn(1));
    }

    @Test
    void twoVotersAreNotSparedWithoutAWord() {
        cluster = Cluster.of("3.6.8", "3.6.8");
        assertEquals("TWO_VOTERS SKIPPABLE", turn(2));
    }

    @Test
    void theLeaderIsTheLastInOrder() {
        cluster.node(3).version = EtcdVersion.parse("3.6.14");
        assertEquals(
                List.of("cp-2", "cp-1"),
                MemberTurnRules.pending(facts(1)).stream().map(Member::label).toList());
    }

    private Optional<Severity> hashed() {
        return MemberTurnRules.hashes(cluster.facts().health(), hashes)
                .map(EtcdUpgradeFinding::severity);
    }

    private void hash(int number, long compacted, int hash) {
        hashes.put(cluster.node(number).member.id(), new KvHash(100, compacted, hash));
    }

    @Test
    void membersThatHoldTheSameMayGoOn() {
        hash(1, 5, 7);
        hash(2, 5, 7);
        hash(3, 5, 7);
        assertEquals(Optional.empty(), hashed());
    }

    @Test
    void oneThatHoldsSomethingElseStopsIt() {
        hash(1, 5, 7);
        hash(2, 5, 7);
        hash(3, 5, 8);
        assertEquals(Optional.of(Severity.MANDATORY), hashed());
        cluster.node(3).version = EtcdVersion.parse("3.6.14");
        assertEquals(Optional.of(Severity.SKIPPABLE), hashed());
    }

    @Test
    void whatCannotBeComparedIsSaid() {
        hash(1, 5, 7);
        hash(2, 5, 7);
        assertEquals(Optional.of(Severity.SKIPPABLE), hashed());
        hash(3, 6, 8);
        assertEquals(Optional.of(Severity.SKIPPABLE), hashed());
    }
}
