package io.kjadm.core.etcd.upkeep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.ReportingEtcdCluster;
import io.kjadm.core.etcd.check.DiskProbe;
import io.kjadm.core.etcd.commands.EtcdSession;
import io.kjadm.core.etcd.commands.EtcdTarget;
import io.kjadm.core.etcd.commands.MembershipLeaseStatus;
import io.kjadm.core.etcd.commands.OpsLab;
import io.kjadm.core.etcd.upkeep.DefragRules.Choice;
import io.kjadm.core.etcd.upkeep.Defragmentation.Result;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.ReportingWaiter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SimulatedCluster.Fault;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** The databases of three members, of which cp-1 leads, are given back what is free in them. */
class DefragmentationTest {

    private static final long MIB = 1 << 20;

    private final OpsLab lab = new OpsLab(3).onControlPlane();
    private final List<Choice> shown = new ArrayList<>();
    private long diskBytes = 1L << 40;
    /** One for each time that somebody measures, the last one for all that follow. */
    private final Deque<Duration> syncs = new ArrayDeque<>();

    @BeforeEach
    void halfEmptyDatabases() {
        for (String name : List.of("cp-1", "cp-2", "cp-3")) {
            lab.etcd.database(lab.etcd.id(name), 1000 * MIB, 300 * MIB);
        }
    }

    private List<Result> run(DefragOptions options, Confirmation confirmation) {
        return run(lab, lab.open(), lab.waiter, options, confirmation);
    }

    private List<Result> run(
            OpsLab of,
            EtcdSession session,
            Waiter waiter,
            DefragOptions options,
            Confirmation confirmation) {
        return new Defragmentation(session, of.steps(session, waiter), waiter, disk(), of.out)
                .run(options, confirmation, shown::addAll);
    }

    private DiskProbe disk() {
        return new DiskProbe() {
            @Override
            public long freeBytes(Path directory) {
                return diskBytes;
            }

            @Override
            public Optional<Duration> syncTime(Path directory) {
                assertEquals(Path.of("/var/lib/etcd"), directory);
                return syncs.size() > 1
                        ? Optional.of(syncs.pop())
                        : Optional.ofNullable(syncs.peek());
            }
        };
    }

    private ClusterException refused() {
        ClusterException refusal = assertThrows(
                ClusterException.class, () -> run(DefragOptions.DEFAULTS, Confirmation.GIVEN));
        assertEquals(List.of(), lab.etcd.changes());
        assertEquals(1, lab.refusals.size());
        return refusal;
    }

    @Test
    void followersComeFirstAndTheLeaderLastOnceItHasHandedOver() {
        List<Result> results = run(DefragOptions.DEFAULTS, Confirmation.GIVEN);
        assertEquals(
                List.of("defragment cp-2", "defragment cp-3", "moveLeader a002", "defragment cp-1"),
                lab.etcd.changes());
        assertEquals(
                List.of("cp-2", "cp-3", "cp-1"),
                results.stream().map(result -> result.member().name()).toList());
        assertTrue(results.stream()
                .allMatch(result ->
                        result.bytesBefore() == 1000 * MIB && result.bytesAfter() == 300 * MIB));
        assertEquals(Duration.ofSeconds(60), lab.waiter.elapsed(), "two pauses of 30 s");
        assertEquals(List.of("take defrag", "give back after " + lab.etcd.changes()), lab.turns);
        assertEquals(
                List.of(
                        "[etcd] Pre-check passed: all 3 voters are healthy",
                        "[etcd] Defragmenting etcd member a002 cp-2 (voter, https://cp-2:2380) (1000.0 MiB); it is unavailable until this is finished",
                        "[etcd] etcd member cp-2: 300.0 MiB, was 1000.0 MiB, in 0.0 s"),
                lab.out.lines().subList(0, 3));
    }

    @Test
    void whatIsNotWorthItIsLeftAlone() {
        lab.etcd.database(lab.etcd.id("cp-1"), 1000 * MIB, 550 * MIB);
        lab.etcd.database(lab.etcd.id("cp-2"), 150 * MIB, 51 * MIB);
        run(DefragOptions.DEFAULTS, Confirmation.GIVEN);
        assertEquals(List.of("defragment cp-3"), lab.etcd.changes());
        assertEquals(
                List.of(
                        "99.0 MiB of 150.0 MiB are free (66 %), fewer than 100.0 MiB",
                        "700.0 MiB of 1000.0 MiB are free (70 %)",
                        "450.0 MiB of 1000.0 MiB are free (45 %), no more than 45 %"),
                shown.stream().map(Choice::reason).toList());
    }

    @Test
    void everyMemberIsDoneIfThatIsAskedFor() {
        lab.etcd.database(lab.etcd.id("cp-2"), 1000 * MIB, 1000 * MIB);
        run(new DefragOptions(0.45, 100 * MIB, true, Duration.ZERO, false), Confirmation.GIVEN);
        assertEquals(4, lab.etcd.changes().size());
        assertEquals(Duration.ZERO, lab.waiter.elapsed());
    }

    @Test
    void nothingIsDoneWhereNothingIsFree() {
        run(DefragOptions.DEFAULTS, Confirmation.GIVEN);
        int changes = lab.etcd.changes().size();
        assertEquals(List.of(), run(DefragOptions.DEFAULTS, Confirmation.GIVEN));
        assertEquals(changes, lab.etcd.changes().size());
    }

    @Test
    void aMemberThatDoesNotTellWhatIsFreeIsLeftAlone() {
        Choice choice = DefragRules.choice(
                lab.etcd.members().getFirst(),
                false,
                new MemberStatus.Database(1000 * MIB, OptionalLong.empty(), OptionalLong.empty()),
                DefragOptions.DEFAULTS);
        assertEquals(false, choice.chosen());
    }

    @Test
    void nothingIsDoneWhileAVoterIsDown() {
        lab.etcd.stop(lab.etcd.id("cp-3"));
        assertEquals(Set.of("cp-3"), Named.members(refused().why()));
    }

    @Test
    void nothingIsDoneWithoutAQuorum() {
        lab.etcd.stop(lab.etcd.id("cp-3"));
        lab.etcd.stop(lab.etcd.id("cp-2"));
        assertTrue(refused().why().startsWith("the voters do not agree on a leader"));
    }

    @Test
    void nothingIsDoneWhileAMemberJoins() {
        lab.learner("cp-4");
        assertTrue(refused().why().startsWith("a member is joining"));
    }

    @Test
    void nothingIsDoneWhileSomebodyChangesTheMembers() {
        lab.lock = lab.held("cp-9/1a2b", Duration.ofMinutes(1), true);
        assertEquals("etcd's members are being changed by cp-9/1a2b", refused().what());
    }

    @Test
    void nothingIsDoneWithDamagedData() {
        lab.etcd.alarm(lab.etcd.id("cp-2"), Alarm.CORRUPT);
        assertEquals(
                "etcd raises an alarm: memberID:40962 alarm:CORRUPT", refused().why());
    }

    @Test
    void aFullDatabaseIsNoObstacle() {
        lab.etcd.alarm(lab.etcd.id("cp-2"), Alarm.NOSPACE);
        run(DefragOptions.DEFAULTS, Confirmation.GIVEN);
        assertEquals(4, lab.etcd.changes().size());
    }

    @Test
    void nothingIsDoneWhereMembersListOthers() {
        lab.etcd.freezeList(lab.etcd.id("cp-3"));
        lab.etcd.removeByOther(lab.etcd.id("cp-2"));
        assertEquals(Set.of("cp-1", "cp-2", "cp-3"), Named.members(refused().why()));
    }

    @Test
    void aDiskWithoutRoomKeepsEverybodyFromIt() {
        lab.files.with("/var/lib/etcd/member/snap/db", "");
        diskBytes = 999 * MIB;
        ClusterException refusal = assertThrows(
                ClusterException.class, () -> run(DefragOptions.DEFAULTS, Confirmation.GIVEN));
        assertEquals(
                "its disk has 999.0 MiB left, and a new file may take as much as the database, 1000.0 MiB",
                refusal.why());
        assertEquals(List.of(), lab.etcd.changes());
    }

    private DefragOptions onSlowDisks() {
        DefragOptions usual = DefragOptions.DEFAULTS;
        return new DefragOptions(
                usual.threshold(), usual.minFreeBytes(), usual.all(), usual.pause(), true);
    }

    @Test
    void aSlowDiskOfThisNodeKeepsEverybodyFromIt() {
        lab.files.with("/var/lib/etcd/member/snap/db", "");
        syncs.add(Duration.ofMillis(101));

        ClusterException refusal = assertThrows(
                ClusterException.class, () -> run(DefragOptions.DEFAULTS, Confirmation.GIVEN));

        assertEquals(Set.of("cp-1"), Named.members(refusal.what()), refusal.what());
        assertEquals(
                "its disk takes 101 ms to sync a small write (p99), 100 ms is the limit: the other members may consider it failed during defragmentation",
                refusal.why());
        assertEquals(Set.of("--force"), Named.flags(refusal.next()), refusal.next());
        assertEquals(List.of(), lab.etcd.changes());

        assertEquals(3, run(onSlowDisks(), Confirmation.GIVEN).size());
        assertEquals(
                List.of(
                        "its disk takes 101 ms to sync a small write (p99), 100 ms is the limit: the other members may consider it failed during defragmentation",
                        "its disk takes 101 ms to sync a small write (p99), 100 ms is the limit: the other members may consider it failed during defragmentation"),
                lab.out.warnings());
    }

    @Test
    void aDiskThatIsJustFastEnoughDoes() {
        lab.files.with("/var/lib/etcd/member/snap/db", "");
        syncs.add(Duration.ofMillis(100));
        assertEquals(3, run(DefragOptions.DEFAULTS, Confirmation.GIVEN).size());
        assertEquals(List.of(), lab.out.warnings());
    }

    @Test
    void oneThatHasBecomeSlowMeanwhileEndsIt() {
        lab.files.with("/var/lib/etcd/member/snap/db", "");
        syncs.addAll(List.of(Duration.ofMillis(5), Duration.ofMillis(250)));

        ClusterException refusal = assertThrows(
                ClusterException.class, () -> run(DefragOptions.DEFAULTS, Confirmation.GIVEN));

        assertEquals(
                "its disk takes 250 ms to sync a small write (p99), 100 ms is the limit: the other members may consider it failed during defragmentation",
                refusal.why());
        assertEquals(List.of("defragment cp-2", "defragment cp-3"), lab.etcd.changes());
    }

    /** Without data of its own this node knows of no member's disk. */
    @Test
    void thisDiskIsNobodysWhereNoMemberIs() {
        syncs.add(Duration.ofSeconds(1));
        assertEquals(3, run(DefragOptions.DEFAULTS, Confirmation.GIVEN).size());
    }

    @Test
    void theOnlyVoterIsDoneIfTheOperatorAgrees() {
        OpsLab one = new OpsLab(1).onControlPlane();
        one.etcd.database(one.etcd.id("cp-1"), 1000 * MIB, 300 * MIB);
        assertThrows(
                UsageException.class,
                () -> run(
                        one,
                        one.open(),
                        one.waiter,
                        DefragOptions.DEFAULTS,
                        (area, question) -> false));
        assertEquals(List.of(), one.etcd.changes());
        run(one, one.open(), one.waiter, DefragOptions.DEFAULTS, (area, question) -> {
            assertEquals(Set.of("cp-1"), Named.members(question), question);
            return true;
        });
        assertEquals(List.of("defragment cp-1"), one.etcd.changes());
    }

    @Test
    void nobodyIsAskedWhereOthersServe() {
        run(DefragOptions.DEFAULTS, (area, question) -> {
            throw new AssertionError(question);
        });
        assertEquals(4, lab.etcd.changes().size());
    }

    @Test
    void aLeaderThatChangesByItselfEndsIt() {
        lab.etcd.afterDefragmentation(() -> lab.etcd.leadBy(lab.etcd.id("cp-3")));
        ClusterException end = assertThrows(
                ClusterException.class, () -> run(DefragOptions.DEFAULTS, Confirmation.GIVEN));
        assertEquals("another etcd member leads than before", end.what());
        assertEquals(List.of("defragment cp-2"), lab.etcd.changes());
    }

    @Test
    void aMemberThatDoesNotComeBackEndsIt() {
        lab.etcd.afterDefragmentation(() -> lab.etcd.busy(lab.etcd.id("cp-2"), 100_000));
        ClusterException end = assertThrows(
                ClusterException.class, () -> run(DefragOptions.DEFAULTS, Confirmation.GIVEN));
        assertEquals(Optional.of(CommonReason.TIMED_OUT), end.reason());
        assertEquals(List.of("defragment cp-2"), lab.etcd.changes());
    }

    @Test
    void aDefragmentationThatFailsEndsIt() {
        lab.etcd.next(Fault.REQUEST_LOST);
        ClusterException end = assertThrows(
                ClusterException.class, () -> run(DefragOptions.DEFAULTS, Confirmation.GIVEN));
        assertTrue(end.why().startsWith("it did not finish within 5 min"), end.why());
        assertEquals(List.of("defragment cp-2"), lab.etcd.changes());
    }

    @Test
    void theSameCommandGoesOnWhereAnotherOneWasKilled() {
        lab.etcd.afterDefragmentation(() -> {
            throw new IllegalStateException("killed");
        });
        assertThrows(
                IllegalStateException.class, () -> run(DefragOptions.DEFAULTS, Confirmation.GIVEN));
        lab.etcd.afterDefragmentation(() -> {});
        // which is at it still
        lab.etcd.busy(lab.etcd.id("cp-2"), 3);
        run(DefragOptions.DEFAULTS, Confirmation.GIVEN);
        assertEquals(
                List.of("defragment cp-2", "defragment cp-3", "moveLeader a002", "defragment cp-1"),
                lab.etcd.changes());
    }

    @Test
    void aDryRunTellsWhatWouldBeDone() {
        ReportingWaiter waiter = new ReportingWaiter(lab.waiter::now, lab.out);
        EtcdSession session = lab.open(
                EtcdTarget.of(List.of(), Optional.empty()),
                ReportingEtcdCluster.connector(lab.connector(), lab.out));
        List<Result> results =
                run(lab, session, waiter, DefragOptions.DEFAULTS, Confirmation.GIVEN);
        assertEquals(List.of(), lab.etcd.changes());
        assertEquals(
                List.of(
                        "[dryrun] Would defragment the etcd member at https://cp-2:2379",
                        "[dryrun] Would wait 30s: the other members settle before the next one",
                        "[dryrun] Would defragment the etcd member at https://cp-3:2379",
                        "[dryrun] Would wait 30s: the other members settle before the next one",
                        "[dryrun] Would transfer etcd's leadership from a001 to a002",
                        "[dryrun] Would defragment the etcd member at https://cp-1:2379"),
                lab.out.lines().stream()
                        .filter(line -> line.startsWith("[dryrun]"))
                        .toList());
        assertTrue(results.stream().allMatch(result -> result.bytesAfter() == 300 * MIB));
    }

    @Test
    void theLimitGrowsWithTheDatabase() {
        assertEquals(Duration.ofMinutes(2), Defragmentation.limit(0));
        assertEquals(Duration.ofSeconds(120 + 8 * 1024 / 5), Defragmentation.limit(8L << 30));
    }

    /** Another run may hold it by then, and have a member silent. */
    @Test
    void whoeverLosesTheLockTouchesNoOtherMember() {
        // in the pause between the first and the second one
        lab.waiter.eachTime(() -> lab.lost = Optional.of("it was not renewed"));
        assertThrows(ClusterException.class, () -> run(DefragOptions.DEFAULTS, Confirmation.GIVEN));
        assertEquals(List.of("defragment cp-2"), lab.etcd.changes());
    }

    @Test
    void theLeaseThatCannotBeReadIsTold() {
        lab.lock = new MembershipLeaseStatus.Unknown("no API server");
        run(DefragOptions.DEFAULTS, Confirmation.GIVEN);
        assertEquals(1, lab.out.warnings().size());
        assertEquals(4, lab.etcd.changes().size());
    }
}
