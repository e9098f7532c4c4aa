package io.kjadm.core.etcd.upkeep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.check.FileDiskProbe;
import io.kjadm.core.etcd.commands.EtcdSession;
import io.kjadm.core.etcd.commands.MembershipSteps;
import io.kjadm.core.etcd.upkeep.Defragmentation.Result;
import io.kjadm.core.etcd.upkeep.HealthReport.Need;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.ReadAnswer;
import io.kjadm.etcd.compare.Client;
import io.kjadm.etcd.compare.Writer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/** Three real members are looked after: none of the writes that were acknowledged is lost. */
class RealUpkeepTest {

    private static final int VALUE_BYTES = 250_000;
    /** In MiB; -Dkjadm.upkeep.megabytes=512 shows what a large database costs. */
    private static final int MEGABYTES = Integer.getInteger("kjadm.upkeep.megabytes", 24);

    @TempDir
    Path folder;

    private static EtcdBinary binary() {
        return EtcdBinary.anyOf(version -> version.atLeast(3, 5));
    }

    private static Defragmentation defragmentation(
            RealMembers members, EtcdSession session, MembershipSteps steps) {
        return new Defragmentation(
                session, steps, members.waiter, new FileDiskProbe(false), members.ops.out);
    }

    @Test
    void membersAreDefragmentedWhileSomebodyWrites(TestReporter figures) throws IOException {
        try (RealMembers members = new RealMembers(binary(), folder, 3);
                EtcdSession session = members.open()) {
            int writes = (int) (MEGABYTES * (1L << 20) / VALUE_BYTES);
            // half of it stays in use
            members.fill(writes, writes / 2, VALUE_BYTES);
            Member any = members.cluster().members().getFirst();
            members.cluster()
                    .compact(ReadAnswer.ask(members.cluster(), any).revision().getAsLong());
            MembershipSteps steps = members.ops.steps(session, members.waiter);
            long term = term(members);
            long from;
            long to;
            List<Result> results;
            Writer writer = new Writer(members.endpoints(), 100);
            try (writer) {
                RealMembers.until("writes", () -> writer.acknowledged() > 100);
                from = System.nanoTime();
                results = defragmentation(members, session, steps)
                        .run(
                                new DefragOptions(0, 0, true, Duration.ofSeconds(1), false),
                                Confirmation.GIVEN,
                                choices -> {});
                to = System.nanoTime();
            }
            assertEquals(3, results.size());
            assertTrue(
                    results.stream()
                            .allMatch(result -> result.bytesAfter() < result.bytesBefore() * 3 / 4),
                    results.toString());
            try (Client reader = new Client(members.endpoints())) {
                assertEquals(0, writer.lost(reader));
            }
            assertEquals(term + 1, term(members), "there was an election besides the transfer");
            assertTrue(HealthReport.ask(session, Need.ALL).healthy());
            figures.publishEntry(
                    "defragmentation",
                    "%s; longest gap %s, %d writes acknowledged, %d not within %d s, in %d ms"
                            .formatted(
                                    results.stream()
                                            .map(result -> "%s %s to %s in %d ms"
                                                    .formatted(
                                                            result.member().name(),
                                                            Sizes.text(result.bytesBefore()),
                                                            Sizes.text(result.bytesAfter()),
                                                            result.took().toMillis()))
                                            .toList(),
                                    writer.longestGap(from, to),
                                    writer.acknowledged(),
                                    writer.failed(),
                                    2,
                                    (to - from) / 1_000_000));
        }
    }

    @Test
    void corruptStaysUntilItsMemberHasGone() throws IOException {
        try (RealMembers members = new RealMembers(binary(), folder, 3);
                EtcdSession session = members.open()) {
            Member damaged = members.cluster().members().getFirst();
            members.corrupt(damaged);
            RealMembers.until("the alarm", () -> !members.cluster().alarms().isEmpty());
            assertEquals(
                    List.of(new Alarm(damaged.id(), Alarm.CORRUPT)),
                    members.cluster().alarms());
            MembershipSteps steps = members.ops.steps(session, members.waiter);
            AlarmDisarm disarm = new AlarmDisarm(
                    session,
                    steps,
                    defragmentation(members, session, steps),
                    members.waiter,
                    members.ops.out);
            AlarmDisarm.Options options = new AlarmDisarm.Options(5, OptionalLong.empty());
            assertThrows(
                    ClusterException.class,
                    () -> disarm.run(options, Confirmation.GIVEN, choices -> {}));
            assertEquals(1, members.cluster().alarms().size());
            steps.takeOut(damaged);
            disarm.run(options, Confirmation.GIVEN, choices -> {});
            assertEquals(List.of(), members.cluster().alarms());
            assertTrue(HealthReport.ask(session, Need.ALL).healthy());
        }
    }

    private static long term(RealMembers members) {
        return EtcdHealth.ask(members.cluster()).leaderTerm().orElseThrow();
    }

    @Test
    void aFullDatabaseIsWritableAgain() throws IOException {
        try (RealMembers members =
                        new RealMembers(binary(), folder, 3, "--quota-backend-bytes=16777216");
                EtcdSession session = members.open()) {
            int written = members.fill(1000, 4, VALUE_BYTES);
            assertTrue(written < 1000, "etcd refuses at its quota");
            assertEquals(false, HealthReport.ask(session, Need.QUORUM).healthy());
            MembershipSteps steps = members.ops.steps(session, members.waiter);
            new AlarmDisarm(
                            session,
                            steps,
                            defragmentation(members, session, steps),
                            members.waiter,
                            members.ops.out)
                    .run(
                            new AlarmDisarm.Options(5, OptionalLong.empty()),
                            Confirmation.GIVEN,
                            choices -> {});
            assertEquals(List.of(), members.cluster().alarms());
            assertEquals(10, members.fill(10, 4, VALUE_BYTES));
        }
    }
}
