package io.kjadm.core.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.ResetState;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinState;
import io.kjadm.etcd.join.MembershipJournal;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

class FailpointsTest {

    private static final Path DIRECTORY = Path.of("/etc/kubernetes/tmp");

    private final MemoryFiles files = new MemoryFiles();
    private final JournalFile real = new JournalFile(files, DIRECTORY);
    private final VirtualWaiter waiter = new VirtualWaiter();
    private final List<Integer> halted = new ArrayList<>();

    private MembershipJournal with(String value) {
        return journal(Failpoints.from(Map.of(Failpoints.VARIABLE, value), halted::add));
    }

    private MembershipJournal journal(Failpoints failpoints) {
        return new JournalFile(files, DIRECTORY, failpoints.fuse(waiter));
    }

    private static JoinEntry entry(JoinState state) {
        return new JoinEntry(
                state,
                "run",
                "c1",
                "cp-2",
                URI.create("https://cp-2:2380"),
                Instant.EPOCH,
                List.of(),
                Optional.of(new MemberId(1)),
                Optional.empty(),
                0,
                false);
    }

    @Test
    void withoutTheVariableNothingChanges() {
        assertNothingHappens(journal(Failpoints.from(Map.of())));
        assertNothingHappens(with(" "));
    }

    /** The environment of this run has none; an unset property keeps it from being asked. */
    @Test
    void withoutThePropertyNothingChanges() {
        assertEquals(null, System.getProperty("kjadm.failpoints"));
        assertNothingHappens(journal(Failpoints.ofProcess()));
    }

    private void assertNothingHappens(MembershipJournal journal) {
        for (JoinState state : JoinState.values()) {
            journal.write(entry(state));
        }
        assertEquals(List.of(), halted);
        assertEquals(Duration.ZERO, waiter.elapsed());
    }

    @Test
    void errorBeforeAStateLeavesTheFormerOne() {
        MembershipJournal journal = with("promoting:before=error");
        journal.write(entry(JoinState.STARTED));
        HostException struck =
                assertThrows(HostException.class, () -> journal.write(entry(JoinState.PROMOTING)));
        assertEquals("failpoint PROMOTING before", struck.what());
        assertEquals(JoinState.STARTED, real.read().orElseThrow().state());
        journal.write(entry(JoinState.PROMOTING));
        assertEquals(JoinState.PROMOTING, real.read().orElseThrow().state(), "it strikes once");
    }

    @Test
    void errorAfterAStateFindsItOnDisk() {
        MembershipJournal journal = with("promoting:after=error");
        HostException struck =
                assertThrows(HostException.class, () -> journal.write(entry(JoinState.PROMOTING)));
        assertEquals("failpoint PROMOTING after", struck.what());
        assertEquals(JoinState.PROMOTING, real.read().orElseThrow().state());
    }

    @Test
    void exitAfterAStateFindsItOnDisk() {
        with("MANIFEST:after=exit137").write(entry(JoinState.MANIFEST));
        assertEquals(List.of(137), halted);
        assertEquals(JoinState.MANIFEST, real.read().orElseThrow().state());
    }

    @Test
    void sleepWaits() {
        with("DONE:before=sleep(2500)").write(entry(JoinState.DONE));
        assertEquals(Duration.ofMillis(2500), waiter.elapsed());
    }

    static Stream<JoinState> states() {
        return Stream.of(JoinState.values());
    }

    @ParameterizedTest
    @MethodSource("states")
    void everyStateHasItsFailpoints(JoinState state) {
        for (String moment : List.of("before", "after")) {
            with(state + ":" + moment + "=exit137").write(entry(state));
        }
        assertEquals(List.of(137, 137), halted);
    }

    @ParameterizedTest
    @EnumSource
    void everyStateOfAResetHasThemToo(ResetState state) {
        for (String moment : List.of("before", "after")) {
            List<ResetState> entered = new ArrayList<>();
            Failpoints.from(
                            Map.of(Failpoints.VARIABLE, state + ":" + moment + "=exit137"),
                            halted::add)
                    .fuse(waiter)
                    .around(state, () -> entered.add(state));
            assertEquals(List.of(state), entered);
        }
        assertEquals(List.of(137, 137), halted);
    }

    @Test
    void joinAndResetHaveNoStateInCommon() {
        Set<String> join =
                Stream.of(JoinState.values()).map(Enum::name).collect(Collectors.toSet());
        assertTrue(Stream.of(ResetState.values()).map(Enum::name).noneMatch(join::contains));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ADDED",
                "ADDED:before",
                "ADDED:while=error",
                "NOWHERE:before=error",
                "ADDED:before=sleep",
                "ADDED:before=sleep(-1)",
                "ADDED:before=exit1",
                "ADDED:before=error,error"
            })
    void malformedValueIsAUsageErrorThatNamesTheStates(String value) {
        UsageException refused = assertThrows(
                UsageException.class, () -> Failpoints.from(Map.of(Failpoints.VARIABLE, value)));
        assertTrue(refused.next().startsWith("the states are PREPARED, "), refused.next());
    }
}
