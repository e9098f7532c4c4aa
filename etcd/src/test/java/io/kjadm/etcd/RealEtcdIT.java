package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.join.Ailment;
import io.kjadm.etcd.join.JoinDecider;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.JoinStep;
import io.kjadm.etcd.join.Joiner;
import io.kjadm.etcd.join.LegacyVotingMemberAdder;
import io.kjadm.etcd.join.LearnerMemberAdder;
import io.kjadm.etcd.join.LifeSigns;
import io.kjadm.etcd.join.LocalMember;
import io.kjadm.etcd.join.LocalTrace;
import io.kjadm.etcd.join.MemberAdder;
import io.kjadm.etcd.join.MemberBirth;
import io.kjadm.etcd.join.MemoryJournal;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.RejoinOptions;
import io.kjadm.etcd.join.WaitReason;
import io.kjadm.etcd.join.Withdrawal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The adapter and the adders against etcd processes on the loopback interface. Skipped where no etcd is at hand. */
class RealEtcdIT {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void stopAll() throws Exception {
        for (AutoCloseable closeable : open.reversed()) {
            closeable.close();
        }
    }

    static List<EtcdBinary> learnerVersions() {
        return EtcdBinary.found(version -> version.knowsLearners());
    }

    @ParameterizedTest
    @MethodSource("learnerVersions")
    void oneGrowsToThreeByLearners(EtcdBinary binary) throws Exception {
        EtcdProcess first = start(EtcdProcess.first(binary, folder, "cp-1"));
        EtcdCluster cluster = connect(EtcdAccess.plain(List.of(first.clientUrl())));
        until("one voter", () -> EtcdHealth.ask(cluster).hasQuorum());

        grow(cluster, binary, "cp-2");
        grow(cluster, binary, "cp-3");

        List<Member> members = cluster.members();
        assertEquals(3, members.stream().filter(Member::voter).filter(Member::started).count());
        EtcdHealth health = EtcdHealth.ask(cluster);
        assertEquals(3, health.healthyVoters());
        assertEquals(List.of(binary.version()), health.versions());
        assertEquals(List.of(), cluster.alarms());
    }

    @ParameterizedTest
    @MethodSource("learnerVersions")
    void refusalsHaveTheTextsTheClassesAreMadeOf(EtcdBinary binary) throws Exception {
        EtcdProcess first = start(EtcdProcess.first(binary, folder, "cp-1"));
        EtcdCluster cluster = connect(EtcdAccess.plain(List.of(first.clientUrl())));
        until("one voter", () -> EtcdHealth.ask(cluster).hasQuorum());
        MemberId voter = cluster.members().getFirst().id();
        Member learner = cluster.addLearner(EtcdProcess.freeUrl());
        assertTrue(learner.learner());

        refused(ErrorClass.WAIT, EtcdErrors.TOO_MANY_LEARNERS, () -> cluster.addLearner(EtcdProcess.freeUrl()));
        // in the second of the add the ID, made of URL and time, would be the same
        pause(Duration.ofSeconds(1));
        refused(ErrorClass.DONE, EtcdErrors.PEER_URL_EXISTS, () -> cluster.addVoter(learner.peerUrls().getFirst()));
        refused(ErrorClass.DONE, EtcdErrors.NOT_A_LEARNER, () -> cluster.promote(voter));
        refused(ErrorClass.DONE, EtcdErrors.MEMBER_NOT_FOUND, () -> cluster.promote(new MemberId(12345)));
        refused(ErrorClass.DONE, EtcdErrors.MEMBER_NOT_FOUND, () -> cluster.remove(new MemberId(12345)));
        if (binary.version().compareTo(new EtcdVersion(3, 5, 7)) >= 0) {
            var notReady = assertThrows(EtcdCallException.class, () -> cluster.promote(learner.id()));
            assertTrue(Set.of(EtcdErrors.LEARNER_NOT_READY, EtcdErrors.MEMBER_NOT_FOUND).contains(notReady.text()),
                    notReady.getMessage());
        }

        var blocked = assertInstanceOf(JoinStep.Waiting.class, new Join(cluster, binary, "cp-9").go());
        assertEquals(WaitReason.TOO_MANY_LEARNERS, blocked.reason());
        assertTrue(blocked.detail().contains(learner.id().toString()));
        Instant born = MemberBirth.of(learner, Instant.now(), Duration.ofMinutes(5)).orElseThrow();
        assertTrue(Duration.between(born, Instant.now()).abs().compareTo(LIMIT) < 0, born::toString);

        cluster.remove(learner.id());
        assertEquals(1, cluster.members().size());
        refused(ErrorClass.DONE, EtcdErrors.MEMBER_NOT_FOUND, () -> cluster.remove(learner.id()));
    }

    @ParameterizedTest
    @MethodSource("learnerVersions")
    void learnerThatNeverStartsIsTakenBackWhileTheClusterServes(EtcdBinary binary) throws Exception {
        EtcdProcess first = start(EtcdProcess.first(binary, folder, "cp-1"));
        EtcdCluster cluster = connect(EtcdAccess.plain(List.of(first.clientUrl())));
        until("one voter", () -> EtcdHealth.ask(cluster).hasQuorum());
        var join = new Join(cluster, binary, "cp-2");
        join.starts = false;
        var waiting = assertInstanceOf(JoinStep.Waiting.class, join.go());
        assertEquals(WaitReason.STARTING, waiting.reason(), waiting.detail());
        assertTrue(EtcdHealth.ask(cluster).hasQuorum());
        assertInstanceOf(Withdrawal.Removed.class, join.withdraw());
        assertEquals(1, cluster.members().size());
    }

    @Test
    void leaderHandsOverBeforeItIsRemoved() throws Exception {
        EtcdBinary binary = EtcdBinary.anyOf(EtcdVersion::knowsLearners);
        EtcdProcess first = start(EtcdProcess.first(binary, folder, "cp-1"));
        EtcdCluster cluster = connect(EtcdAccess.plain(List.of(first.clientUrl())));
        until("one voter", () -> EtcdHealth.ask(cluster).hasQuorum());
        grow(cluster, binary, "cp-2");
        grow(cluster, binary, "cp-3");

        MemberRemoval removal = new MemberRemoval();
        until("cp-1 to be removed", () -> {
            var own = new OwnMember(Optional.empty(), Set.of(first.peerUrl()));
            return switch (removal.plan(EtcdHealth.ask(cluster), own)) {
                case RemovalPlan.NotListed ignored -> true;
                case RemovalPlan.MoveLeaderThenRemove plan ->
                        removal.carryOut(cluster, plan) instanceof Removal.Confirmed;
                case RemovalPlan.Remove plan -> removal.carryOut(cluster, plan) instanceof Removal.Confirmed;
                case RemovalPlan.LastMember last -> throw new AssertionError(last);
                case RemovalPlan.Refused refused -> throw new AssertionError(refused);
            };
        });
        assertEquals(2, cluster.members().size());
        until("the remaining two to be well", () -> EtcdHealth.ask(cluster).healthyVoters() == 2);
    }

    @Test
    void etcd33IsRefusedBeforeAnythingIsAdded() throws Exception {
        EtcdBinary binary = EtcdBinary.anyOf(version -> !version.knowsLearners());
        EtcdProcess first = start(EtcdProcess.first(binary, folder, "cp-1"));
        EtcdCluster cluster = connect(EtcdAccess.plain(List.of(first.clientUrl())));
        until("one voter", () -> EtcdHealth.ask(cluster).hasQuorum());

        var refused = assertInstanceOf(JoinStep.Failed.class, new Join(cluster, binary, "cp-2").go());
        assertEquals("etcd learner mode is not supported by this etcd version", refused.what());
        assertTrue(refused.why().contains(binary.version().toString()));
        assertEquals(1, cluster.members().size());
    }

    @Test
    void secondVoterThatNeverStartsStopsTheCluster() throws Exception {
        EtcdBinary binary = EtcdBinary.anyOf(EtcdVersion::knowsLearners);
        EtcdProcess first = start(EtcdProcess.first(binary, folder, "cp-1"));
        EtcdCluster cluster = connect(EtcdAccess.plain(List.of(first.clientUrl())));
        until("one voter", () -> EtcdHealth.ask(cluster).hasQuorum());
        var join = new Join(cluster, binary, "cp-2");
        join.adder = new LegacyVotingMemberAdder();
        join.starts = false;
        join.go();
        until("the leader to step down", () -> {
            try {
                cluster.members();
                return false;
            } catch (EtcdCallException e) {
                return e.errorClass() == ErrorClass.TRANSIENT;
            }
        });
        assertEquals(WaitReason.STARTING, assertInstanceOf(JoinStep.Waiting.class, join.go()).reason());
    }

    @Test
    void secondVoterThatStartsBringsTheClusterBack() throws Exception {
        // the oldest: it is quicker to elect when the second one comes
        EtcdBinary binary = EtcdBinary.found(EtcdVersion::knowsLearners).getFirst();
        EtcdProcess first = start(EtcdProcess.first(binary, folder, "cp-1"));
        EtcdCluster cluster = connect(EtcdAccess.plain(List.of(first.clientUrl())));
        until("one voter", () -> EtcdHealth.ask(cluster).hasQuorum());
        var join = new Join(cluster, binary, "cp-2");
        join.adder = new LegacyVotingMemberAdder();
        join.finish();
        assertEquals(2, EtcdHealth.ask(cluster).healthyVoters());
    }

    @Test
    void stoppedVoterOfThreeIsNamedWithTheRuleThatEtcdApplies() throws Exception {
        EtcdBinary binary = EtcdBinary.anyOf(EtcdVersion::knowsLearners);
        EtcdProcess first = start(EtcdProcess.first(binary, folder, "cp-1"));
        EtcdCluster cluster = connect(EtcdAccess.plain(List.of(first.clientUrl())));
        until("one voter", () -> EtcdHealth.ask(cluster).hasQuorum());
        grow(cluster, binary, "cp-2");
        grow(cluster, binary, "cp-3").close();

        until("cp-3 to be missed", () -> EtcdHealth.ask(cluster).healthyVoters() == 2);
        EtcdHealth health = EtcdHealth.ask(cluster);
        assertTrue(health.ailing().contains("cp-3"), health.ailing());
        JoinStep answer = new Join(cluster, binary, "cp-4").go();
        var wait = assertInstanceOf(JoinStep.Waiting.class, answer, answer::toString);
        assertEquals(WaitReason.UNHEALTHY, wait.reason());
        assertTrue(wait.detail().contains("cp-3"), wait.detail());
        assertEquals(3, cluster.members().size());
    }

    @ParameterizedTest
    @MethodSource("learnerVersions")
    void aSurveyNeedsNoQuorum(EtcdBinary binary) throws Exception {
        EtcdProcess first = start(EtcdProcess.first(binary, folder, "cp-1"));
        EtcdCluster cluster = connect(EtcdAccess.plain(List.of(first.clientUrl())));
        until("one voter", () -> EtcdHealth.ask(cluster).hasQuorum());
        EtcdProcess second = grow(cluster, binary, "cp-2");
        var well = assertInstanceOf(EtcdSurvey.Heard.class, EtcdSurvey.of(cluster, List.of(second.clientUrl())));
        assertEquals(2, well.health().healthyVoters());
        assertEquals(List.of(), well.disputes());

        second.close();
        until("the loss of the leader", () -> surveyed(cluster, first).health().leader().isEmpty());
        EtcdHealth broken = surveyed(cluster, first).health();
        assertEquals(2, broken.members().size());
        assertEquals(List.of("cp-1"), broken.members().stream()
                .filter(member -> broken.status(member.id()).isPresent()).map(Member::name).toList());
        assertEquals(well.clusterId(), surveyed(cluster, first).clusterId());

        first.close();
        // the first call may still meet the connection that was cut
        until("a refused connection", () -> assertInstanceOf(EtcdSurvey.Silence.class,
                EtcdSurvey.of(cluster, List.of(first.clientUrl()))).reasons().get(first.clientUrl())
                .contains("Connection refused"));
    }

    private static EtcdSurvey.Heard surveyed(EtcdCluster cluster, EtcdProcess process) {
        return assertInstanceOf(EtcdSurvey.Heard.class, EtcdSurvey.of(cluster, List.of(process.clientUrl())));
    }

    @Test
    void mutualTlsWorksByNameAndByBothKindsOfAddress() throws Exception {
        EtcdBinary binary = EtcdBinary.anyOf(EtcdVersion::knowsLearners);
        TlsFiles tls = TlsFiles.create(folder.resolve("tls"));
        for (String host : List.of("127.0.0.1", "localhost", "::1")) {
            EtcdProcess etcd = start(EtcdProcess.withTls(binary, folder.resolve(host.replace(':', '-')), tls, host));
            EtcdCluster cluster = connect(tls.access(etcd.clientUrl()));
            until("etcd with TLS at " + host, () -> EtcdHealth.ask(cluster).hasQuorum());
            assertEquals(List.of(etcd.clientUrl()), cluster.members().getFirst().clientUrls());
        }
    }

    @Test
    void foreignCaAndMissingClientCertificateAreFatal() throws Exception {
        EtcdBinary binary = EtcdBinary.anyOf(EtcdVersion::knowsLearners);
        TlsFiles tls = TlsFiles.create(folder.resolve("tls"));
        TlsFiles other = TlsFiles.create(folder.resolve("other"));
        EtcdProcess etcd = start(EtcdProcess.withTls(binary, folder.resolve("data"), tls, "127.0.0.1"));
        EtcdCluster good = connect(tls.access(etcd.clientUrl()));
        until("etcd with TLS", () -> EtcdHealth.ask(good).hasQuorum());

        EtcdAccess own = tls.access(etcd.clientUrl());
        EtcdAccess foreign = other.access(etcd.clientUrl());
        var foreignCa = new EtcdAccess(own.endpoints(), foreign.caPem(), own.certPem(), own.keyPem());
        assertEquals(ErrorClass.FATAL,
                assertThrows(EtcdCallException.class, connect(foreignCa)::members).errorClass());
        var foreignClient = new EtcdAccess(own.endpoints(), own.caPem(), foreign.certPem(), foreign.keyPem());
        assertEquals(ErrorClass.FATAL,
                assertThrows(EtcdCallException.class, connect(foreignClient)::members).errorClass());
        assertThrows(EtcdCallException.class,
                () -> new JetcdConnector().connect(new EtcdAccess(own.endpoints(), "no PEM", "no PEM", "no PEM")));
    }

    @Test
    void nobodyAtTheEndpointIsTransientAndQuick() {
        URI nobody = EtcdProcess.freeUrl();
        EtcdCluster cluster = connect(EtcdAccess.plain(List.of(nobody)));
        var before = Instant.now();
        var failure = assertThrows(EtcdCallException.class, cluster::members);
        assertEquals(ErrorClass.TRANSIENT, failure.errorClass());
        assertTrue(failure.getMessage().contains(nobody.toString()), failure.getMessage());
        assertEquals(ErrorClass.TRANSIENT, assertThrows(EtcdCallException.class,
                () -> cluster.addLearner(EtcdProcess.freeUrl())).errorClass());
        assertFalse(Duration.between(before, Instant.now()).compareTo(Duration.ofSeconds(5)) > 0);
    }

    private EtcdProcess grow(EtcdCluster cluster, EtcdBinary binary, String name) {
        var join = new Join(cluster, binary, name);
        join.finish();
        return join.process;
    }

    /** A node that joins for real, its process being one of this machine. */
    private final class Join implements LocalMember {

        private final EtcdCluster cluster;
        private final EtcdBinary binary;
        private final NewMember wanted;
        private final MemoryJournal journal = new MemoryJournal();
        private MemberAdder adder = new LearnerMemberAdder();
        private boolean starts = true;
        private EtcdProcess process;
        private Joiner joiner;

        Join(EtcdCluster cluster, EtcdBinary binary, String name) {
            this.cluster = cluster;
            this.binary = binary;
            this.wanted = new NewMember(name, EtcdProcess.freeUrl());
        }

        private Joiner joiner() {
            if (joiner == null) {
                joiner = new Joiner(wanted, adder, new JoinDecider(wanted, "run", adder, RejoinOptions.NONE,
                        JoinLimits.DEFAULTS), cluster, journal, this, Instant::now);
            }
            return joiner;
        }

        /** Steps until one has to wait for something that is not a young connection. */
        JoinStep go() {
            Instant end = Instant.now().plus(LIMIT);
            while (true) {
                switch (joiner().step()) {
                    case JoinStep.Went ignored -> { }
                    case JoinStep.Waiting wait when wait.detail().contains(EtcdErrors.UNHEALTHY)
                            && Instant.now().isBefore(end) -> pause(wait.pause());
                    case JoinStep other -> {
                        return other;
                    }
                }
            }
        }

        void finish() {
            Instant end = Instant.now().plus(LIMIT);
            while (true) {
                switch (go()) {
                    case JoinStep.Joined ignored -> {
                        return;
                    }
                    case JoinStep.Waiting wait when Instant.now().isBefore(end) ->
                            pause(wait.pause().plusMillis(100));
                    case JoinStep other -> throw new AssertionError(other);
                }
            }
        }

        Withdrawal withdraw() {
            while (true) {
                switch (joiner().withdraw()) {
                    case JoinStep.TakenBack(Withdrawal outcome, String ignored) -> {
                        return outcome;
                    }
                    case JoinStep.Waiting wait -> pause(wait.pause());
                    case JoinStep ignored -> { }
                }
            }
        }

        @Override
        public LocalTrace trace() {
            return process == null ? LocalTrace.NONE : LocalTrace.SOME_DATA;
        }

        @Override
        public LifeSigns lifeSigns() {
            return process == null ? LifeSigns.NONE : LifeSigns.ALIVE;
        }

        @Override
        public Optional<Ailment> hindrance() {
            return Optional.empty();
        }

        @Override
        public Map<MemberId, String> unreached(List<Member> voters) {
            return Map.of();
        }

        @Override
        public String unready() {
            return "";
        }

        @Override
        public void writeManifest(List<Member> members, Member own) {
            if (!starts) {
                return;
            }
            try {
                process = start(EtcdProcess.joining(binary, folder, wanted, members));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public String takeAway() {
            return "";
        }

        @Override
        public void help() {
        }
    }

    private static void refused(ErrorClass expected, String text, Runnable call) {
        var failure = assertThrows(EtcdCallException.class, call::run);
        assertEquals(text, failure.text(), failure.getMessage());
        assertEquals(expected, failure.errorClass());
    }

    private EtcdProcess start(EtcdProcess process) throws IOException {
        open.add(process);
        process.start();
        return process;
    }

    private EtcdCluster connect(EtcdAccess access) {
        EtcdCluster cluster = new JetcdConnector().connect(access);
        open.add(cluster);
        return cluster;
    }

    private static void until(String what, Supplier<Boolean> condition) {
        Instant end = Instant.now().plus(LIMIT);
        String last = "false";
        while (Instant.now().isBefore(end)) {
            try {
                if (condition.get()) {
                    return;
                }
            } catch (EtcdCallException e) {
                last = e.getMessage();
            }
            pause(Duration.ofMillis(100));
        }
        throw new AssertionError("waited " + LIMIT + " for " + what + ", last: " + last);
    }

    private static void pause(Duration duration) {
        try {
            Thread.sleep(duration.plusMillis(50));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
