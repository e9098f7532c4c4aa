package io.kjadm.core.etcd.upkeep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.Forwarding;
import io.kjadm.core.etcd.check.FileDiskProbe;
import io.kjadm.core.etcd.commands.EtcdSession;
import io.kjadm.core.etcd.commands.EtcdTarget;
import io.kjadm.core.etcd.commands.MembershipSteps;
import io.kjadm.core.etcd.commands.OpsLab;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** An alarm of three members, of which cp-1 leads, is disarmed once its cause has gone. */
class AlarmDisarmTest {

    private static final long MIB = 1 << 20;

    private final OpsLab lab = new OpsLab(3).onControlPlane();

    @BeforeEach
    void fullDatabases() {
        for (String name : List.of("cp-1", "cp-2", "cp-3")) {
            lab.etcd.database(lab.etcd.id(name), 100 * MIB, 90 * MIB);
        }
        lab.etcd.compactsTo(40 * MIB);
        lab.etcd.write(50_000);
    }

    private void run(long keep, OptionalLong quota) {
        run(lab.open(), keep, quota);
    }

    private void run(EtcdSession session, long keep, OptionalLong quota) {
        disarm(lab, session, new AlarmDisarm.Options(keep, quota), Confirmation.GIVEN);
    }

    private static void disarm(
            OpsLab lab,
            EtcdSession session,
            AlarmDisarm.Options options,
            Confirmation confirmation) {
        MembershipSteps steps = lab.steps(session, lab.waiter);
        new AlarmDisarm(
                        session,
                        steps,
                        new Defragmentation(
                                session, steps, lab.waiter, new FileDiskProbe(false), lab.out),
                        lab.waiter,
                        lab.out)
                .run(options, confirmation, choices -> {});
    }

    private ClusterException refused(long keep, OptionalLong quota) {
        return assertThrows(ClusterException.class, () -> run(keep, quota));
    }

    private MemberId id(String name) {
        return lab.etcd.id(name);
    }

    @Test
    void withoutAnAlarmNothingIsDone() {
        run(10_000, OptionalLong.empty());
        assertEquals(List.of(), lab.etcd.changes());
        assertEquals(List.of("[etcd] Nothing to do: no alarm is raised"), lab.out.lines());
    }

    @Test
    void roomIsMadeBeforeNospaceIsDisarmed() {
        lab.etcd.alarm(id("cp-2"), Alarm.NOSPACE);
        run(10_000, OptionalLong.empty());
        assertEquals(
                List.of(
                        "compact 40100",
                        "defragment cp-2",
                        "defragment cp-3",
                        "moveLeader a002",
                        "defragment cp-1",
                        "disarm NOSPACE a002"),
                lab.etcd.changes());
        assertEquals(List.of(), lab.etcd.alarms());
    }

    /** What is compacted cannot be put back. */
    @Test
    void theOnlyVoterIsAskedForBeforeAnythingIsCompacted() {
        OpsLab one = new OpsLab(1).onControlPlane();
        MemberId only = one.etcd.id("cp-1");
        one.etcd.database(only, 1000 * MIB, 300 * MIB);
        one.etcd.write(50_000);
        one.etcd.alarm(only, Alarm.NOSPACE);
        var options = new AlarmDisarm.Options(10_000, OptionalLong.of(500 * MIB));
        assertThrows(
                UsageException.class,
                () -> disarm(one, one.open(), options, (area, question) -> false));
        assertEquals(List.of(), one.etcd.changes());

        List<String> questions = new ArrayList<>();
        disarm(one, one.open(), options, (area, question) -> questions.add(question));
        assertEquals(1, questions.size(), questions::toString);
        assertEquals(List.of(), one.etcd.alarms());
    }

    /** A person removes the others while etcd is compacted. */
    @Test
    void aVoterThatIsTheOnlyOneByThenIsAskedFor() {
        lab.etcd.alarm(id("cp-1"), Alarm.NOSPACE);
        EtcdCluster cluster = new Forwarding(lab.etcd) {
            @Override
            public void compact(long revision) {
                super.compact(revision);
                lab.etcd.remove(id("cp-2"));
                lab.etcd.remove(id("cp-3"));
            }
        };
        EtcdTarget here = EtcdTarget.of(List.of(), Optional.empty());
        var options = new AlarmDisarm.Options(10_000, OptionalLong.empty());
        assertThrows(
                UsageException.class,
                () -> disarm(
                        lab,
                        lab.open(here, access -> cluster),
                        options,
                        (area, question) -> false));
        assertEquals(
                List.of(),
                lab.etcd.changes().stream()
                        .filter(change -> change.startsWith("defragment"))
                        .toList());
    }

    @Test
    void whatWasCompactedBeforeIsNoObstacle() {
        lab.etcd.alarm(id("cp-2"), Alarm.NOSPACE);
        lab.etcd.compact(45_000);
        run(10_000, OptionalLong.empty());
        assertEquals(List.of(), lab.etcd.alarms());
    }

    @Test
    void noMemberIsDefragmentedBeforeItHasAppliedTheCompaction() {
        lab.etcd.alarm(id("cp-2"), Alarm.NOSPACE);
        // the disk of cp-3 is slow
        EtcdCluster cluster = new Forwarding(lab.etcd) {
            @Override
            public void compact(long revision) {
                super.compact(revision);
                lab.etcd.database(id("cp-3"), 100 * MIB, 90 * MIB);
                lab.etcd.lag(id("cp-3"), 1);
            }
        };
        lab.waiter.after(Duration.ofSeconds(30), () -> {
            lab.etcd.database(id("cp-3"), 100 * MIB, 40 * MIB);
            lab.etcd.lag(id("cp-3"), 0);
        });
        EtcdTarget here = EtcdTarget.of(List.of(), Optional.empty());
        run(lab.open(here, access -> cluster), 10_000, OptionalLong.of(50 * MIB));
        assertEquals(List.of(), lab.etcd.alarms());
    }

    @Test
    void nothingIsCompactedWhereEveryRevisionIsKept() {
        lab.etcd.alarm(id("cp-2"), Alarm.NOSPACE);
        run(1_000_000, OptionalLong.empty());
        assertTrue(lab.etcd.changes().stream().noneMatch(change -> change.startsWith("compact")));
        assertEquals(List.of(), lab.etcd.alarms());
    }

    @Test
    void aDatabaseAsLargeAsItsQuotaKeepsTheAlarm() {
        lab.etcd.alarm(id("cp-2"), Alarm.NOSPACE);
        lab.etcd.quota(40 * MIB);
        ClusterException refusal = refused(10_000, OptionalLong.of(1000 * MIB));
        assertEquals(
                "the database of a001 cp-1 (voter, https://cp-1:2380) is 40.0 MiB, and its quota 40.0 MiB",
                refusal.why());
        assertEquals(1, lab.etcd.alarms().size());
    }

    @Test
    void whereNobodyTellsTheQuotaTheDatabaseMustHaveShrunk() {
        lab.etcd.alarm(id("cp-2"), Alarm.NOSPACE);
        lab.etcd.compactsTo(96 * MIB);
        refused(10_000, OptionalLong.empty());
        assertEquals(1, lab.etcd.alarms().size());
        run(10_000, OptionalLong.of(97 * MIB));
        assertEquals(List.of(), lab.etcd.alarms());
    }

    @Test
    void roomIsNotMadeWhileAVoterIsDown() {
        lab.etcd.alarm(id("cp-2"), Alarm.NOSPACE);
        lab.etcd.stop(id("cp-3"));
        assertEquals(
                Set.of("cp-3"),
                Named.members(refused(10_000, OptionalLong.empty()).why()));
        assertEquals(1, lab.etcd.alarms().size());
        assertEquals(List.of(), lab.etcd.changes(), "what is compacted cannot be put back");
    }

    @Test
    void corruptStaysWhileItsMemberIsListed() {
        lab.etcd.alarm(id("cp-3"), Alarm.CORRUPT);
        lab.etcd.diverge(id("cp-3"));
        ClusterException refusal = refused(10_000, OptionalLong.empty());
        assertTrue(
                refusal.why().startsWith("a003 cp-3 (voter, https://cp-3:2380) is listed"),
                refusal.why());
        assertEquals(Set.of("cp-1", "cp-2", "cp-3"), Named.members(refusal.why()));
        assertEquals(
                "replace it: 'kjadm etcd member replace cp-3 NEW-PEER-URL --name NEW-NAME', or without a URL to remove it and show how a new control-plane node joins; then run this command again",
                refusal.next());
        assertEquals(List.of(), lab.etcd.changes());
    }

    @Test
    void corruptStaysEvenIfTheHashesAgree() {
        lab.etcd.alarm(id("cp-3"), Alarm.CORRUPT);
        assertEquals(
                Set.of("cp-1", "cp-2", "cp-3"),
                Named.members(refused(10_000, OptionalLong.empty()).why()));
        assertEquals(List.of(), lab.etcd.changes());
    }

    @Test
    void corruptIsDisarmedOnceItsMemberIsGoneAndTheOthersAgree() {
        lab.etcd.alarm(id("cp-3"), Alarm.CORRUPT);
        lab.etcd.removeByOther(id("cp-3"));
        run(10_000, OptionalLong.empty());
        assertEquals(List.of("disarm CORRUPT a003"), lab.etcd.changes());
        assertEquals(List.of(), lab.etcd.alarms());
    }

    @Test
    void corruptStaysIfTheOthersDiffer() {
        lab.etcd.alarm(id("cp-3"), Alarm.CORRUPT);
        lab.etcd.removeByOther(id("cp-3"));
        lab.etcd.diverge(id("cp-2"));
        assertTrue(refused(10_000, OptionalLong.empty())
                .why()
                .startsWith("it is not known whose data is damaged"));
        assertEquals(List.of(), lab.etcd.changes());
    }

    @Test
    void corruptStaysIfOneOfTheOthersIsNotHeard() {
        lab.etcd.alarm(id("cp-3"), Alarm.CORRUPT);
        OpsLab four = new OpsLab(4).onControlPlane();
        four.etcd.stop(four.etcd.id("cp-4"));
        CorruptionEvidence evidence =
                CorruptionEvidence.gather(four.etcd, io.kjadm.etcd.EtcdHealth.ask(four.etcd));
        assertEquals(false, evidence.agrees());
        assertEquals(
                "cp-1 has hash 00000064 at revision 100 (compacted to 0); cp-2 has hash 00000064 at revision 100 (compacted to 0); cp-3 has hash 00000064 at revision 100 (compacted to 0); cp-4 did not report it: Connection refused",
                evidence.toString());
    }

    @Test
    void theQuotaIsInTheManifest() {
        assertEquals(
                OptionalLong.empty(),
                AlarmDisarm.quotaOnNode(lab.files, KubernetesPaths.standard()));
        lab.files.with("/etc/kubernetes/manifests/etcd.yaml", """
                apiVersion: v1
                kind: Pod
                metadata: {name: etcd}
                spec:
                  containers:
                  - name: etcd
                    command: [etcd, --quota-backend-bytes=8589934592]
                """);
        assertEquals(
                OptionalLong.of(8L << 30),
                AlarmDisarm.quotaOnNode(lab.files, KubernetesPaths.standard()));
    }
}
