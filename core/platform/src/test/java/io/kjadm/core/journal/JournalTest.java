package io.kjadm.core.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.manifests.ManifestYaml;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

class JournalTest {

    private static final Path PATH = Path.of("/var/lib/kjadm/test/journal.json");
    private static final Instant NOW = Instant.parse("2026-02-03T04:05:06.789Z");

    record Entry(
            RestoreStep step,
            Instant began,
            Path place,
            Optional<Path> other,
            Optional<MemberId> member,
            List<String> names,
            Set<MemberId> members,
            Map<String, Set<String>> pods,
            boolean done) {}

    private static Entry entry(RestoreStep step) {
        return new Entry(
                step,
                NOW,
                Path.of("/var/lib/etcd"),
                Optional.of(Path.of("/var/lib/other")),
                Optional.of(new MemberId(-1)),
                List.of("a"),
                Set.of(new MemberId(2)),
                Map.of("etcd", Set.of("uid")),
                true);
    }

    private final MemoryFiles files = new MemoryFiles()
            .with("/etc/machine-id", "m1\n")
            .with("/proc/sys/kernel/random/boot_id", "b1\n");

    private Journal<Entry> journal(Operation operation, Journal.Damaged damaged) {
        return new Journal<>(
                files,
                PATH,
                new Journal.Kind<>(
                        operation,
                        Entry.class,
                        entry -> new Progress(
                                entry.step(), entry.began(), Optional.of("c1"), entry.member()),
                        damaged,
                        "do this"),
                Failpoints.Fuse.none());
    }

    private Journal<Entry> journal() {
        return journal(Operation.RESTORE, Journal.Damaged.REFUSE);
    }

    @Test
    void anEntryIsReadAsItWasWrittenAndItsHeaderTellsWhoseItIs() {
        journal().write(entry(RestoreStep.BEGUN));
        journal().write(entry(RestoreStep.STOPPED));
        assertEquals(Optional.of(entry(RestoreStep.STOPPED)), journal().read());
        assertEquals(
                Optional.of(new JournalOwner(
                        Operation.RESTORE,
                        Optional.of("m1"),
                        Optional.of("b1"),
                        Optional.of("c1"),
                        Optional.of(new MemberId(-1)),
                        Optional.of(NOW),
                        "STOPPED")),
                journal().owner());
        assertEquals(Optional.of(FileMode.OWNER_ONLY), files.mode(PATH));
        journal().write(of(Optional.empty(), NOW));
        assertEquals(
                List.of(
                        "step", "began", "place", "other", "names", "members", "pods", "done",
                        "owner"),
                List.copyOf(ManifestYaml.readObject(files.text(PATH.toString())).keySet()));
        journal().clear();
        assertEquals(Optional.empty(), journal().read());
    }

    @Test
    void anOptionalWithoutAValueAndACollectionMayBeMissing() {
        files.with(PATH.toString(), """
                {"step": "BEGUN", "began": "2026-02-03T04:05:06.789Z", "place": "/p", "more": 1}
                """);
        assertEquals(
                Optional.of(new Entry(
                        RestoreStep.BEGUN,
                        NOW,
                        Path.of("/p"),
                        Optional.empty(),
                        Optional.empty(),
                        List.of(),
                        Set.of(),
                        Map.of(),
                        false)),
                journal().read());
        assertEquals(Optional.empty(), journal().owner().orElseThrow().machine());
        assertEquals(Operation.RESTORE, journal().owner().orElseThrow().operation());
    }

    @Test
    void theTypeOfAnOptionalIsThatOfItsComponent() throws IOException {
        Entry entry = entry(RestoreStep.BEGUN);

        assertEquals(entry, JournalJson.mapper().treeToValue(JournalJson.tree(entry), Entry.class));
    }

    @Test
    void aPathAndAVersionAreTexts() {
        JsonNode path = JournalJson.mapper().valueToTree(PATH);
        JsonNode version = JournalJson.mapper().valueToTree(EtcdVersion.parse("3.6.8"));

        assertEquals(PATH.toString(), path.asText());
        assertEquals("3.6.8", version.asText());
    }

    @Test
    void whatIsTornOrLacksAFieldStopsTheCommandOrCountsAsNone() {
        journal().write(entry(RestoreStep.BEGUN));
        String whole = files.text(PATH.toString()).strip();
        Map<String, String> faults = new LinkedHashMap<>();
        faults.put("", "it does not have the form that kjadm writes");
        faults.put("[]", "it does not have the form that kjadm writes");
        faults.put(
                whole.substring(0, whole.length() / 2), "it is not valid JSON (line 11, column 1)");
        faults.put(
                whole.replace("\"place\"", "\"plaice\""),
                "its field place is missing, or has a value that it cannot have");
        faults.put(
                whole.replace("BEGUN", "NO_STEP"),
                "its field step is missing, or has a value that it cannot have");
        faults.put(
                whole.replace("\"2026-", "\"20x6-"),
                "its field began is missing, or has a value that it cannot have");
        faults.put(
                whole.replace("RESTORE", "NO_OPERATION"),
                "its field operation is missing, or has a value that it cannot have");
        faults.forEach((damaged, fault) -> {
            files.with(PATH.toString(), damaged);
            HostException refused =
                    assertThrows(HostException.class, () -> journal().read());
            assertEquals("do this", refused.next());
            assertEquals(fault, refused.why());
            assertEquals(
                    Optional.empty(),
                    journal(Operation.RESTORE, Journal.Damaged.IGNORE).read());
        });
    }

    @Test
    void theJournalOfAnotherMachineIsNotContinued() {
        journal().write(entry(RestoreStep.STOPPED));
        files.with("/etc/machine-id", "m2\n");
        assertThrows(HostException.class, () -> journal().read());
        assertEquals(
                Optional.empty(),
                journal(Operation.RESTORE, Journal.Damaged.IGNORE).read());
    }

    @Test
    void whereTheMachineHasNoIdItsJournalsAreContinued() {
        journal().write(entry(RestoreStep.STOPPED));
        files.with("/etc/machine-id", "\n");
        assertTrue(journal().read().isPresent());
        journal().write(entry(RestoreStep.SET_ASIDE));
        assertEquals(Optional.empty(), journal().owner().orElseThrow().machine());
        files.with("/etc/machine-id", "m1\n");
        assertTrue(journal().read().isPresent());
    }

    @Test
    void everyStepOfEveryOperationHasItsFailpoints() {
        VirtualWaiter waiter = new VirtualWaiter();
        for (Class<? extends Enum<?>> steps : List.<Class<? extends Enum<?>>>of(
                RestoreStep.class, UpgradeStep.class, CaRotationStage.class, ReplaceStage.class)) {
            for (Enum<?> step : steps.getEnumConstants()) {
                Failpoints.Fuse fuse = Failpoints.from(
                                Map.of(Failpoints.VARIABLE, step.name() + ":after=error"))
                        .fuse(waiter);
                assertThrows(HostException.class, () -> fuse.around(step, () -> {}));
            }
        }
    }

    @Test
    void aFaultBeforeAStepLeavesThePreviousEntry() {
        journal().write(entry(RestoreStep.BEGUN));
        Journal<Entry> faulty = new Journal<>(
                files,
                PATH,
                new Journal.Kind<>(
                        Operation.RESTORE,
                        Entry.class,
                        entry -> new Progress(
                                entry.step(), entry.began(), Optional.empty(), Optional.empty()),
                        Journal.Damaged.REFUSE,
                        ""),
                Failpoints.from(Map.of(Failpoints.VARIABLE, "STOPPED:before=error"))
                        .fuse(new VirtualWaiter()));
        assertThrows(HostException.class, () -> faulty.write(entry(RestoreStep.STOPPED)));
        assertEquals(RestoreStep.BEGUN, journal().read().orElseThrow().step());
        faulty.write(entry(RestoreStep.STOPPED));
        assertTrue(journal().read().filter(entry(RestoreStep.STOPPED)::equals).isPresent());
    }

    /** As an entry of an earlier release that has no header. */
    @Test
    void anEntryWhoseProgressCannotBeToldIsDamaged() {
        journal().write(entry(RestoreStep.BEGUN));
        files.with(
                PATH.toString(),
                files.text(PATH.toString()).replace("\"owner\"", "\"former owner\""));
        Journal<Entry> journal = new Journal<>(
                files,
                PATH,
                new Journal.Kind<>(
                        Operation.RESTORE,
                        Entry.class,
                        entry -> {
                            throw new IllegalArgumentException("it names no cluster");
                        },
                        Journal.Damaged.REFUSE,
                        "do this"),
                Failpoints.Fuse.none());

        HostException refused = assertThrows(HostException.class, journal::read);

        assertEquals("it names no cluster", refused.why());
    }

    private static Entry of(Optional<MemberId> member, Instant began) {
        Entry entry = entry(RestoreStep.STOPPED);
        return new Entry(
                entry.step(),
                began,
                entry.place(),
                entry.other(),
                member,
                entry.names(),
                entry.members(),
                entry.pods(),
                entry.done());
    }

    private Instant began() {
        return journal().owner().flatMap(JournalOwner::began).orElseThrow();
    }

    /** An entry tells when it was written, if its operation does not note when it began. */
    @Test
    void anOperationHasBegunWithItsFirstEntry() {
        Instant later = NOW.plusSeconds(60);
        Optional<MemberId> one = Optional.of(new MemberId(1));
        Optional<MemberId> other = Optional.of(new MemberId(2));
        record Case(Optional<MemberId> before, Optional<MemberId> next, Instant began) {}
        for (Case each : List.of(
                new Case(one, one, NOW),
                new Case(Optional.empty(), one, NOW),
                new Case(one, Optional.empty(), NOW),
                new Case(one, other, later))) {
            journal().clear();
            journal().write(of(each.before(), NOW));
            journal().write(of(each.next(), later));
            assertEquals(each.began(), began(), each::toString);
        }
        journal(Operation.RECOVER, Journal.Damaged.REFUSE).write(of(other, NOW));
        assertEquals(NOW, began());
        assertEquals(PATH, journal().path());
    }
}
