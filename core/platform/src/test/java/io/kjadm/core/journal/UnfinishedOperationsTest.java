package io.kjadm.core.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.MemberId;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The journals are as releases before the header wrote them. */
public class UnfinishedOperationsTest {

    private static final String TMP = "/etc/kubernetes/tmp/";
    private static final String STATE = "/var/lib/kjadm/etcd/";
    private static final String RESTORE = """
            {
              "snapshot" : "etcd-1",
              "command" : "%s",
              "began" : "2026-02-03T04:05:06Z",
              "token" : "kjadm-00",
              "aside" : "/var/lib/etcd.replaced-20260203-040506",
              "step" : "SET_ASIDE"
            }
            """;
    private static final String UPGRADE = """
            {
              "from" : "%s",
              "to" : "%s",
              "began" : "2026-02-03T04:05:06Z",
              "rollingBack" : false,
              "done" : [ ],
              "changed" : [ {"step" : "etcd", "path" : "/p", "saved" : "/s"} ],
              "replaced" : { }
            }
            """;
    private static final String RESET = """
            {
              "state" : "%s",
              "criSocket" : "",
              "at" : "2026-02-03T04:05:06Z",
              "memberId" : "a1",
              "clusterId" : "c1"
            }
            """;
    private static final String JOIN = """
            {
              "state" : "ADDED",
              "runId" : "run",
              "clusterId" : "c1",
              "name" : "cp-2",
              "peerUrl" : "https://192.0.2.2:2380",
              "at" : "2026-02-03T04:05:06Z",
              "commit" : 0,
              "leaving" : false,
              "memberId" : "a1",
              "before" : [ ]
            }
            """;
    private static final String REPLACE = """
            {
              "stage" : "ARRIVAL",
              "order" : "ADD_FIRST",
              "clusterId" : "c1",
              "name" : "new",
              "peerUrl" : "https://192.0.2.9:2380",
              "began" : "2026-02-03T04:05:06Z",
              "old" : {
                "id" : "a1",
                "name" : "old",
                "learner" : false,
                "peerUrls" : [ "https://192.0.2.1:2380" ],
                "clientUrls" : [ ]
              },
              "before" : [ "a1" ]
            }
            """;

    private static final String CA_ROTATION = """
            {
              "stage" : "ISSUED",
              "at" : "2026-02-03T04:05:06Z",
              "memberId" : "a1",
              "newCa" : "AB:CD"
            }
            """;

    private final MemoryFiles files = new MemoryFiles();
    private final UnfinishedOperations unfinished = UnfinishedOperations.on(files);

    /** The operation, the path and the text of a journal of each kind, wherever it may be. */
    public static Stream<Arguments> journals() {
        return Stream.of(
                Arguments.of(Operation.JOIN, TMP + "kjadm-etcd-join", JOIN),
                Arguments.of(Operation.JOIN, "/var/lib/kubelet/kjadm-join.json", "{}"),
                Arguments.of(Operation.JOIN, STATE + "kjadm-etcd-join", JOIN),
                Arguments.of(
                        Operation.RESET,
                        TMP + "kjadm-reset/journal.json",
                        RESET.formatted("REMOVED")),
                Arguments.of(Operation.RESET, STATE + "reset.json", RESET.formatted("STOPPED")),
                Arguments.of(Operation.REPLACE, TMP + "kjadm-etcd-replace/journal.json", REPLACE),
                Arguments.of(
                        Operation.CA_ROTATION, TMP + "kjadm-ca-rotation/journal.json", CA_ROTATION),
                Arguments.of(Operation.CA_ROTATION, STATE + "ca-rotation.json", CA_ROTATION),
                Arguments.of(
                        Operation.UPGRADE,
                        TMP + "kjadm-upgrade/journal.json",
                        UPGRADE.formatted("v1.35.6", "v1.36.2")),
                Arguments.of(
                        Operation.ETCD_VERSION,
                        TMP + "kjadm-upgrade/journal.json",
                        UPGRADE.formatted("etcd 3.5.30", "etcd 3.6.8")),
                Arguments.of(
                        Operation.ETCD_VERSION,
                        STATE + "upgrades/kjadm-upgrade/journal.json",
                        UPGRADE.formatted("etcd 3.5.30", "etcd 3.6.8")),
                Arguments.of(
                        Operation.RESTORE,
                        TMP + "kjadm-restore/journal.json",
                        RESTORE.formatted("kjadm etcd snapshot restore etcd-1")),
                Arguments.of(
                        Operation.RECOVER,
                        STATE + "restore/journal.json",
                        RESTORE.formatted("kjadm etcd recover --apply")));
    }

    @Test
    void everyOperationIsContinuedByItsCommand() {
        String undo = " again, or undo it with --undo";
        Map<Operation, String> advice = Map.ofEntries(
                Map.entry(
                        Operation.INIT,
                        "run the same 'kjadm etcd init' again, or 'kjadm etcd reset'"),
                Map.entry(
                        Operation.JOIN,
                        "run the same join again, or reset this machine ('kjadm reset', 'kjadm etcd reset')"),
                Map.entry(Operation.RESET, "run the same reset again"),
                Map.entry(Operation.REPLACE, "run the same 'kjadm etcd member replace' again"),
                Map.entry(
                        Operation.UPGRADE,
                        "run the same 'kjadm upgrade' again: it finishes the upgrade, or rolls it back;"
                                + " if this node was reset since, 'kjadm reset' removes the journal"),
                Map.entry(
                        Operation.ETCD_VERSION,
                        "run the same 'kjadm etcd upgrade' or 'kjadm etcd downgrade' again:"
                                + " it finishes the change, or rolls it back"),
                Map.entry(
                        Operation.RESTORE,
                        "run the same 'kjadm etcd snapshot restore'" + undo
                                + "; if this machine was reset since, a reset removes the journal"),
                Map.entry(Operation.RECOVER, "run the same 'kjadm etcd recover'" + undo),
                Map.entry(Operation.CA_ROTATION, "run 'kjadm etcd certs rotate-ca' again"));
        assertEquals(
                advice,
                Stream.of(Operation.values())
                        .collect(Collectors.toMap(Function.identity(), Operation::next)));
    }

    @ParameterizedTest
    @MethodSource("journals")
    void everyJournalIsFoundAndStopsEveryCommandThatIsNotItsOwn(
            Operation operation, String path, String text) {
        files.with(path, text);
        Unfinished found = unfinished.all().getFirst();
        assertEquals(1, unfinished.all().size());
        assertEquals(operation, found.operation());
        assertEquals(Optional.empty(), found.obstacle());
        assertEquals(operation.next(), found.next());
        for (ChangingCommand command : ChangingCommand.values()) {
            boolean foreign = command == ChangingCommand.UPGRADING
                    && operation == Operation.ETCD_VERSION
                    && path.startsWith(STATE);
            assertEquals(
                    command.runsBeside(operation) && !foreign,
                    unfinished.against(command).isEmpty());
        }
    }

    /** INIT is found by the record of a member, which is no journal. */
    @Test
    void everyOperationHasAJournalHere() {
        EnumSet<Operation> missing = EnumSet.complementOf(EnumSet.of(Operation.INIT));
        journals().forEach(journal -> missing.remove(journal.get()[0]));
        assertEquals(Set.of(), missing);
    }

    @ParameterizedTest
    @EnumSource
    void aResetThatIsNotFinishedStopsEveryCommand(ChangingCommand command) {
        files.with(STATE + "reset.json", RESET.formatted("REMOVED"));
        assertThrows(HostException.class, () -> unfinished.require(command));
    }

    @Test
    void anUpgradeStopsAChangeOfEtcdsVersionAndLooksAtOneOfAStackedEtcdItself() {
        String path = TMP + "kjadm-upgrade/journal.json";
        files.with(path, UPGRADE.formatted("etcd 3.5.30", "etcd 3.6.8"));
        unfinished.require(ChangingCommand.UPGRADING);
        unfinished.require(ChangingCommand.CHANGING_VERSION);
        assertEquals(
                "a change of etcd's version is not finished on this machine",
                unfinished.all().getFirst().refusal().what());
        files.with(path, UPGRADE.formatted("v1.35.6", "v1.36.2"));
        assertThrows(
                HostException.class, () -> unfinished.require(ChangingCommand.CHANGING_VERSION));
        assertEquals(
                "an upgrade of this node is not finished on this machine",
                unfinished.all().getFirst().refusal().what());
        unfinished.require(ChangingCommand.UPGRADING);
    }

    @Test
    void anUpgradeIsRefusedBesideAChangeOfAStandaloneEtcd() {
        files.with(
                STATE + "upgrades/kjadm-upgrade/journal.json",
                UPGRADE.formatted("etcd 3.6.8", "etcd 3.6.11"));
        assertThrows(HostException.class, () -> unfinished.require(ChangingCommand.UPGRADING));
    }

    @Test
    void theRefusalTellsWhichOperationSinceWhenAtWhichStepAndOfWhichMember() {
        files.with(STATE + "reset.json", RESET.formatted("STOPPED"));
        Unfinished found = unfinished.all().getFirst();
        assertEquals("STOPPED", found.owner().step());
        assertEquals(
                Optional.of(Instant.parse("2026-02-03T04:05:06Z")),
                found.owner().began());
        assertEquals(Optional.of(new MemberId(0xa1)), found.owner().memberId());
        assertEquals(Optional.of("c1"), found.owner().clusterId());
        assertEquals(
                "started at 2026-02-03T04:05:06Z, at step STOPPED, about etcd member a1,"
                        + " of cluster c1, journal " + STATE + "reset.json",
                found.refusal().why());
    }

    @Test
    void theRefusalTellsNoStepThatIsNotKnownAndWhyItCannotBeContinued() {
        files.with(TMP + "kjadm-restore/journal.json", "{");
        Unfinished damaged = unfinished.all().getFirst();
        assertEquals(
                "journal %skjadm-restore/journal.json, %s"
                        .formatted(TMP, damaged.obstacle().orElseThrow()),
                damaged.refusal().why());
    }

    @Test
    void whatHasChangedNothingOrHasEndedDoesNotCount() {
        files.with(
                        TMP + "kjadm-upgrade/journal.json",
                        UPGRADE.formatted("v1.35.6", "v1.36.2").replaceAll("\\[ \\{.*} ]", "[ ]"))
                .with(STATE + "reset.json", RESET.formatted("CLEANING"))
                .with(STATE + "member.json", "{\"finished\": true, \"founder\": true}")
                .with("/etc/etcd/etcd.env", "")
                .with(TMP + "kjadm-reset/journal.json", RESET.formatted("CLEANING"))
                .with("/etc/kubernetes/manifests/etcd.yaml", "of a member that came since");
        // the reset of the standalone member has not removed its record yet
        assertEquals(
                List.of(Operation.RESET),
                unfinished.all().stream().map(Unfinished::operation).toList());
        files.delete(Path.of(STATE + "member.json"));
        assertEquals(List.of(), unfinished.all());
    }

    @Test
    void aResetDoesNotCountOnceAnotherProgramHasSetTheNodeUpAgain() {
        files.with(TMP + "kjadm-reset/journal.json", RESET.formatted("REMOVED"))
                .with("/etc/kubernetes/manifests/etcd.yaml", "of either member");
        assertEquals(1, unfinished.all().size());
        files.with("/etc/kubernetes/manifests/kube-apiserver.yaml", "that the reset had taken out");
        assertEquals(List.of(), unfinished.all());
    }

    /** Its changes are taken back, one by one. */
    @Test
    void anUpgradeThatIsRolledBackCountsToItsEnd() {
        files.with(
                TMP + "kjadm-upgrade/journal.json",
                UPGRADE.formatted("v1.35.6", "v1.36.2")
                        .replaceAll("\\[ \\{.*} ]", "[ ]")
                        .replace("\"rollingBack\" : false", "\"rollingBack\" : true"));

        assertEquals(Operation.UPGRADE, unfinished.all().getFirst().operation());
    }

    @Test
    void aRestoreWhoseDataAreServedDoesNotCount() {
        files.with(
                TMP + "kjadm-restore/journal.json",
                RESTORE.formatted("kjadm etcd snapshot restore").replace("SET_ASIDE", "SERVING"));
        assertEquals(List.of(), unfinished.all());
    }

    @Test
    void aMemberThatIsBeingSetUpCountsOnceItHasAnEnvironment() {
        files.with(STATE + "member.json", "{\"finished\": false, \"founder\": true}");
        assertEquals(List.of(), unfinished.all());
        files.with("/etc/etcd/etcd.env", "");
        assertEquals(Operation.INIT, unfinished.all().getFirst().operation());
        unfinished.require(ChangingCommand.SETTING_UP);
        files.with(STATE + "member.json", "{\"finished\": false, \"founder\": false}");
        assertEquals(Operation.JOIN, unfinished.all().getFirst().operation());
        assertThrows(
                HostException.class, () -> unfinished.require(ChangingCommand.CHANGING_VERSION));
    }

    @Test
    void aDamagedJournalStopsOthersAndAJoinDoesWithout() {
        files.with(TMP + "kjadm-restore/journal.json", "{");
        files.with(TMP + "kjadm-etcd-join", "{");
        files.with(TMP + "kjadm-reset/journal.json", "{");
        assertEquals(
                List.of(Operation.RESTORE),
                unfinished.all().stream().map(Unfinished::operation).toList());
        assertTrue(unfinished.all().getFirst().obstacle().isPresent());
    }

    @Test
    void theJournalOfAnotherMachineIsTold() {
        files.with("/etc/machine-id", "m2");
        files.with(
                TMP + "kjadm-restore/journal.json",
                RESTORE.formatted("x")
                        .replaceFirst(
                                "\\{",
                                "{ \"owner\": {\"operation\": \"RESTORE\", \"machine\": \"m1\", \"step\": \"SET_ASIDE\"},"));
        assertTrue(unfinished.all().getFirst().obstacle().isPresent());
    }

    @Test
    void whoseAJournalIsMayBeDamagedToo() {
        String path = TMP + "kjadm-restore/journal.json";
        String restore = RESTORE.formatted("x");
        for (String damaged : List.of(
                restore.replaceFirst(
                        "\\{", "{ \"owner\": {\"operation\": \"NONE\", \"step\": \"BEGUN\"},"),
                restore.replace("2026-02-03T04:05:06Z", "never"),
                restore.replaceFirst("\\{", "{ \"memberId\": \"no number\","))) {
            files.with(path, damaged);
            Unfinished found = unfinished.all().getFirst();
            assertEquals(Operation.RESTORE, found.operation());
            assertTrue(found.obstacle().orElseThrow().startsWith("which cannot be read"));
        }
    }
}
