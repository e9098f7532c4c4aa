package io.kjadm.etcd.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What counts as progress and as a sign of life, by one look after another. */
class LearnerProgressTest {

    private static final MemberId LEADER = new MemberId(1);
    private static final Instant BEGAN = Instant.parse("2026-02-03T04:05:06Z");
    private static final LocalMemberHealth DEAD =
            new LocalMemberHealth(false, 7, 0, Optional.empty());
    private static final LocalMemberHealth LIVES =
            new LocalMemberHealth(true, 7, 0, Optional.empty());

    private Instant now = BEGAN;
    private LearnerProgress learnerProgress = LearnerProgress.begun(BEGAN);

    private static Optional<MemberStatus> status(long id, long commit, long applied, long bytes) {
        return Optional.of(new MemberStatus(
                new MemberId(id),
                "c1",
                LEADER,
                MemberStatus.Versions.of(EtcdVersion.parse("3.5.30")),
                bytes,
                2,
                commit,
                applied,
                id != 1,
                List.of()));
    }

    private static Optional<MemberStatus> leaderAt(long commit) {
        return status(1, commit, commit, 50 << 20);
    }

    private static Optional<MemberStatus> learnerAt(long applied) {
        return status(4, applied, applied, 9 << 20);
    }

    private void look(
            Optional<MemberStatus> own, Optional<MemberStatus> leader, LocalMemberHealth life) {
        now = now.plusSeconds(1);
        learnerProgress = learnerProgress.looked(now, own, leader, life);
    }

    private boolean signed() {
        return learnerProgress.signs().signAt().equals(now);
    }

    private boolean moved() {
        return learnerProgress.signs().progressAt().equals(now);
    }

    @Test
    void aProcessThatComesUpIsASignAndProgressAndThatItStaysUpIsASignAlone() {
        look(Optional.empty(), leaderAt(100), DEAD);
        assertTrue(moved(), "the data directory has come to be");
        assertFalse(signed());
        look(Optional.empty(), leaderAt(100), DEAD);
        assertFalse(moved());
        look(Optional.empty(), leaderAt(100), LIVES);
        assertTrue(moved() && signed());
        look(Optional.empty(), leaderAt(100), LIVES);
        assertTrue(signed() && !moved());
        look(Optional.empty(), leaderAt(100), DEAD);
        assertFalse(signed() || moved());
        look(Optional.empty(), leaderAt(100), LIVES);
        assertTrue(moved(), "it is up again");
    }

    @Test
    void anAnswerIsASignThoughTheLeaderIsSilentAndTheNodeShowsNothing() {
        look(learnerAt(10), Optional.empty(), DEAD);
        assertTrue(signed());
        look(learnerAt(10), Optional.empty(), LIVES);
        assertFalse(moved(), "it was up");
    }

    /** A learner far behind, in whose look nothing else moves. */
    private void farBehind() {
        look(learnerAt(10_000), leaderAt(100_000), LIVES);
        look(learnerAt(10_000), leaderAt(100_000), LIVES);
        assertFalse(moved());
    }

    @Test
    void whatMovesIsTheIndexTheDatabaseOrTheDirectory() {
        farBehind();
        look(learnerAt(10_001), leaderAt(100_000), LIVES);
        assertTrue(moved());
        look(status(4, 10_001, 10_001, 10 << 20), leaderAt(100_000), LIVES);
        assertTrue(moved());
        look(
                status(4, 10_001, 10_001, 10 << 20),
                leaderAt(100_000),
                new LocalMemberHealth(true, 8, 0, Optional.empty()));
        assertTrue(moved());
        look(
                status(4, 10_001, 10_001, 10 << 20),
                leaderAt(100_000),
                new LocalMemberHealth(true, 8, 0, Optional.empty()));
        assertFalse(moved());
    }

    @Test
    void aLearnerThatIsCloseNeedNotMove() {
        look(learnerAt(100_000), leaderAt(100_000), LIVES);
        look(learnerAt(100_000), leaderAt(101_000), LIVES);
        assertTrue(moved());
        look(learnerAt(100_000), leaderAt(101_001), LIVES);
        assertFalse(moved());
    }

    @Test
    void closenessLastsWhileTheMemberAnswersAndEndsWithItsSilence() {
        look(learnerAt(100), leaderAt(100), LIVES);
        Instant since = now;
        look(learnerAt(100), Optional.empty(), LIVES);
        assertEquals(Optional.of(since), learnerProgress.closeSince());
        look(Optional.empty(), leaderAt(100), LIVES);
        assertEquals(Optional.empty(), learnerProgress.closeSince());
    }

    @Test
    void whatIsReceivedIsKeptUntilTheMemberAnswersTheLeader() {
        LocalMemberHealth receives =
                new LocalMemberHealth(true, 20 << 20, 20 << 20, Optional.empty());
        look(Optional.empty(), leaderAt(100), receives);
        assertEquals(20 << 20, learnerProgress.transfer().orElseThrow().bytes());
        LocalMemberHealth more = new LocalMemberHealth(true, 30 << 20, 30 << 20, Optional.empty());
        look(Optional.empty(), Optional.empty(), more);
        assertEquals(20 << 20, learnerProgress.transfer().orElseThrow().bytes(), "of how much?");
        look(learnerAt(1), Optional.empty(), more);
        assertEquals(20 << 20, learnerProgress.transfer().orElseThrow().bytes());
        look(learnerAt(1), leaderAt(100), more);
        assertEquals(Optional.empty(), learnerProgress.transfer());
    }

    @Test
    void ratesAreOfTheLastFiveToTenSeconds() {
        for (int second = 1; second <= 30; second++) {
            // ten entries a second at first, then a hundred
            int applied = second <= 15 ? 10 * second : 150 + 100 * (second - 15);
            look(status(4, applied, applied, (long) second << 20), leaderAt(100_000), LIVES);
            ReplicationProgress progress = learnerProgress.progress().orElseThrow();
            if (second == 1) {
                assertEquals(0, progress.entriesPerSecond());
            }
            if (second > 1 && second <= 15) {
                assertEquals(10, progress.entriesPerSecond(), 0.01, "at " + second);
                assertEquals(10, progress.closingPerSecond(), 0.01);
                assertEquals(1 << 20, progress.bytesPerSecond(), 0.01);
            }
            if (second == 20) {
                assertTrue(progress.entriesPerSecond() > 10 && progress.entriesPerSecond() < 100);
            }
            if (second >= 26) {
                assertEquals(100, progress.entriesPerSecond(), 0.01, "at " + second);
            }
        }
        assertTrue(
                Duration.between(learnerProgress.samples().older().orElseThrow().at(), now)
                                .compareTo(Duration.ofSeconds(10))
                        < 0);
        assertTrue(
                Duration.between(learnerProgress.samples().older().orElseThrow().at(), now)
                                .compareTo(Duration.ofSeconds(5))
                        >= 0);
    }
}
