package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.join.JoinStep;
import io.kjadm.etcd.join.LegacyVotingMemberAdder;
import io.kjadm.etcd.join.MemberAddTime;
import io.kjadm.etcd.join.RollbackOutcome;
import io.kjadm.etcd.join.WaitReason;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The adapter and the adders against etcd processes on the loopback interface. Skipped where no
 * etcd is at hand.
 */
@Execution(ExecutionMode.CONCURRENT)
class RealEtcdIT {

    @TempDir
    Path folder;

    @RegisterExtension
    final EtcdProcesses etcds = new EtcdProcesses();

    static List<EtcdBinary> learnerVersions() {
        return EtcdBinary.found(version -> version.knowsLearners());
    }

    @ParameterizedTest
    @MethodSource("learnerVersions")
    void oneGrowsToThreeByLearners(EtcdBinary binary) throws Exception {
        EtcdCluster cluster = etcds.leading(EtcdProcess.first(binary, folder, "cp-1"));

        grow(cluster, binary, "cp-2");
        grow(cluster, binary, "cp-3");

        List<Member> members = cluster.members();
        assertEquals(
                3,
                members.stream().filter(Member::voter).filter(Member::started).count());
        EtcdHealth health = EtcdHealth.ask(cluster);
        assertEquals(3, health.healthyVoters());
        assertEquals(List.of(binary.version()), health.versions());
        assertEquals(List.of(), cluster.alarms());
    }

    @ParameterizedTest
    @MethodSource("learnerVersions")
    void refusalsHaveTheTextsTheClassesAreMadeOf(EtcdBinary binary) throws Exception {
        EtcdCluster cluster = etcds.leading(EtcdProcess.first(binary, folder, "cp-1"));
        MemberId voter = cluster.members().getFirst().id();
        Member learner = cluster.addLearner(EtcdProcess.freeUrl());
        assertTrue(learner.learner());

        refused(
                ErrorClass.WAIT,
                EtcdErrors.TOO_MANY_LEARNERS,
                () -> cluster.addLearner(EtcdProcess.freeUrl()));
        // in the second of the add the ID, made of URL and time, would be the same
        EtcdProcesses.pause(Duration.ofSeconds(1));
        refused(
                ErrorClass.DONE,
                EtcdErrors.PEER_URL_EXISTS,
                () -> cluster.addVoter(learner.peerUrls().getFirst()));
        refused(ErrorClass.DONE, EtcdErrors.NOT_A_LEARNER, () -> cluster.promote(voter));
        refused(
                ErrorClass.DONE,
                EtcdErrors.MEMBER_NOT_FOUND,
                () -> cluster.promote(new MemberId(12345)));
        refused(
                ErrorClass.DONE,
                EtcdErrors.MEMBER_NOT_FOUND,
                () -> cluster.remove(new MemberId(12345)));
        if (binary.version().compareTo(new EtcdVersion(3, 5, 7)) >= 0) {
            var notReady =
                    assertThrows(EtcdCallException.class, () -> cluster.promote(learner.id()));
            assertTrue(
                    Set.of(EtcdErrors.LEARNER_NOT_READY, EtcdErrors.MEMBER_NOT_FOUND)
                            .contains(notReady.text()),
                    notReady.getMessage());
        }

        var blocked = assertInstanceOf(
                JoinStep.Waiting.class,
                new LoopbackJoin(etcds, cluster, binary, folder, "cp-9").go());
        assertEquals(WaitReason.TOO_MANY_LEARNERS, blocked.reason());
        assertTrue(blocked.detail().contains(learner.id().toString()));
        Instant born =
                MemberAddTime.of(learner, Instant.now(), Duration.ofMinutes(5)).orElseThrow();
        assertTrue(
                Duration.between(born, Instant.now()).abs().compareTo(EtcdProcesses.LIMIT) < 0,
                born::toString);

        cluster.remove(learner.id());
        assertEquals(1, cluster.members().size());
        refused(ErrorClass.DONE, EtcdErrors.MEMBER_NOT_FOUND, () -> cluster.remove(learner.id()));
    }

    @ParameterizedTest
    @MethodSource("learnerVersions")
    void learnerThatNeverStartsIsTakenBackWhileTheClusterServes(EtcdBinary binary)
            throws Exception {
        EtcdCluster cluster = etcds.leading(EtcdProcess.first(binary, folder, "cp-1"));
        var join = new LoopbackJoin(etcds, cluster, binary, folder, "cp-2");
        join.neverStarts();
        var waiting = assertInstanceOf(JoinStep.Waiting.class, join.go());
        assertEquals(WaitReason.STARTING, waiting.reason(), waiting.detail());
        assertTrue(EtcdHealth.ask(cluster).hasQuorum());
        assertInstanceOf(RollbackOutcome.Removed.class, join.rollBack());
        assertEquals(1, cluster.members().size());
    }

    @Test
    void leaderHandsOverBeforeItIsRemoved() throws Exception {
        EtcdBinary binary = EtcdBinary.anyOf(EtcdVersion::knowsLearners);
        EtcdProcess first = EtcdProcess.first(binary, folder, "cp-1");
        EtcdCluster cluster = etcds.leading(first);
        grow(cluster, binary, "cp-2");
        grow(cluster, binary, "cp-3");

        MemberId founder = cluster.status(first.clientUrl()).memberId();
        MemberRemoval removal = new MemberRemoval();
        EtcdProcesses.until("cp-1 to be removed", () -> switch (removal.attempt(
                cluster,
                EtcdHealth.ask(cluster),
                OwnMember.known(founder),
                Removal.Progress.NONE)) {
            case Removal.Confirmed confirmed -> true;
            case Removal.MustWait wait -> false;
            case Removal.Declined declined -> throw new AssertionError(declined);
            case Removal.StillListed listed -> throw new AssertionError(listed);
        });
        assertEquals(2, cluster.members().size());
        EtcdProcesses.until(
                "the remaining two to be well", () -> EtcdHealth.ask(cluster).healthyVoters() == 2);
    }

    @Test
    void etcd33IsRefusedBeforeAnythingIsAdded() throws Exception {
        EtcdBinary binary = EtcdBinary.anyOf(version -> !version.knowsLearners());
        EtcdCluster cluster = etcds.leading(EtcdProcess.first(binary, folder, "cp-1"));

        Problem refused = assertInstanceOf(
                        JoinStep.Failed.class,
                        new LoopbackJoin(etcds, cluster, binary, folder, "cp-2").go())
                .problem();
        assertEquals("etcd learner mode is not supported by this etcd version", refused.what());
        assertTrue(refused.why().contains(binary.version().toString()));
        assertEquals(1, cluster.members().size());
    }

    @Test
    void secondVoterThatNeverStartsStopsTheCluster() throws Exception {
        EtcdBinary binary = EtcdBinary.anyOf(EtcdVersion::knowsLearners);
        EtcdCluster cluster = etcds.leading(EtcdProcess.first(binary, folder, "cp-1"));
        var join = new LoopbackJoin(
                etcds, cluster, binary, folder, "cp-2", new LegacyVotingMemberAdder());
        join.neverStarts();
        join.go();
        EtcdProcesses.until("the leader to step down", () -> {
            try {
                cluster.members();
                return false;
            } catch (EtcdCallException e) {
                return e.errorClass() == ErrorClass.TRANSIENT;
            }
        });
        assertEquals(
                WaitReason.STARTING,
                assertInstanceOf(JoinStep.Waiting.class, join.go()).reason());
    }

    @Test
    void secondVoterThatStartsBringsTheClusterBack() throws Exception {
        // the oldest: it is quicker to elect when the second one comes
        EtcdBinary binary = EtcdBinary.found(EtcdVersion::knowsLearners).getFirst();
        EtcdCluster cluster = etcds.leading(EtcdProcess.first(binary, folder, "cp-1"));
        var join = new LoopbackJoin(
                etcds, cluster, binary, folder, "cp-2", new LegacyVotingMemberAdder());
        join.finish();
        assertEquals(2, EtcdHealth.ask(cluster).healthyVoters());
    }

    @Test
    void stoppedVoterOfThreeIsNamedWithTheRuleThatEtcdApplies() throws Exception {
        EtcdBinary binary = EtcdBinary.anyOf(EtcdVersion::knowsLearners);
        EtcdCluster cluster = etcds.leading(EtcdProcess.first(binary, folder, "cp-1"));
        grow(cluster, binary, "cp-2");
        grow(cluster, binary, "cp-3").close();

        EtcdProcesses.until(
                "cp-3 to be missed", () -> EtcdHealth.ask(cluster).healthyVoters() == 2);
        EtcdHealth health = EtcdHealth.ask(cluster);
        assertEquals(Set.of("cp-3"), Named.members(health.unhealthyMembers()));
        JoinStep answer = new LoopbackJoin(etcds, cluster, binary, folder, "cp-4").goOn();
        var wait = assertInstanceOf(JoinStep.Waiting.class, answer, answer::toString);
        assertEquals(WaitReason.UNHEALTHY, wait.reason());
        assertEquals(Set.of("cp-3"), Named.members(wait.detail()), wait.detail());
        assertEquals(3, cluster.members().size());
    }

    @ParameterizedTest
    @MethodSource("learnerVersions")
    void aSurveyNeedsNoQuorum(EtcdBinary binary) throws Exception {
        EtcdProcess first = EtcdProcess.first(binary, folder, "cp-1");
        EtcdCluster cluster = etcds.leading(first);
        EtcdProcess second = grow(cluster, binary, "cp-2");
        var well = assertInstanceOf(
                EtcdSurvey.Heard.class, EtcdSurvey.of(cluster, List.of(second.clientUrl())));
        assertEquals(2, well.health().healthyVoters());
        assertEquals(List.of(), well.disputes());

        second.close();
        EtcdProcesses.until(
                "the loss of the leader",
                () -> surveyed(cluster, first).health().leader().isEmpty());
        EtcdHealth broken = surveyed(cluster, first).health();
        assertEquals(2, broken.members().size());
        assertEquals(
                List.of("cp-1"),
                broken.members().stream()
                        .filter(member -> broken.status(member.id()).isPresent())
                        .map(Member::name)
                        .toList());
        assertEquals(well.clusterId(), surveyed(cluster, first).clusterId());

        first.close();
        // the first call may still meet the connection that was cut
        EtcdProcesses.until(
                "a refused connection",
                () -> assertInstanceOf(
                                EtcdSurvey.Silence.class,
                                EtcdSurvey.of(cluster, List.of(first.clientUrl())))
                        .reasons()
                        .get(first.clientUrl())
                        .contains("Connection refused"));
    }

    private static EtcdSurvey.Heard surveyed(EtcdCluster cluster, EtcdProcess process) {
        return assertInstanceOf(
                EtcdSurvey.Heard.class, EtcdSurvey.of(cluster, List.of(process.clientUrl())));
    }

    @Test
    void mutualTlsWorksByNameAndByBothKindsOfAddress() throws Exception {
        EtcdBinary binary = EtcdBinary.anyOf(EtcdVersion::knowsLearners);
        TlsFiles tls = TlsFiles.create(folder.resolve("tls"));
        for (String host : List.of("127.0.0.1", "localhost", "::1")) {
            EtcdProcess etcd = etcds.start(
                    EtcdProcess.withTls(binary, folder.resolve(host.replace(':', '-')), tls, host));
            EtcdCluster cluster = etcds.connect(tls.access(etcd.clientUrl()));
            EtcdProcesses.until(
                    "etcd with TLS at " + host, () -> EtcdHealth.ask(cluster).hasQuorum());
            assertEquals(List.of(etcd.clientUrl()), cluster.members().getFirst().clientUrls());
        }
    }

    @Test
    void foreignCaAndMissingClientCertificateAreFatal() throws Exception {
        EtcdBinary binary = EtcdBinary.anyOf(EtcdVersion::knowsLearners);
        TlsFiles tls = TlsFiles.create(folder.resolve("tls"));
        TlsFiles other = TlsFiles.create(folder.resolve("other"));
        EtcdProcess etcd =
                etcds.start(EtcdProcess.withTls(binary, folder.resolve("data"), tls, "127.0.0.1"));
        EtcdCluster good = etcds.connect(tls.access(etcd.clientUrl()));
        EtcdProcesses.until("etcd with TLS", () -> EtcdHealth.ask(good).hasQuorum());

        EtcdAccess own = tls.access(etcd.clientUrl());
        EtcdAccess foreign = other.access(etcd.clientUrl());
        var foreignCa =
                new EtcdAccess(own.endpoints(), foreign.caPem(), own.certPem(), own.keyPem());
        assertEquals(
                ErrorClass.FATAL,
                assertThrows(EtcdCallException.class, etcds.connect(foreignCa)::members)
                        .errorClass());
        var foreignClient =
                new EtcdAccess(own.endpoints(), own.caPem(), foreign.certPem(), foreign.keyPem());
        assertEquals(
                ErrorClass.FATAL,
                assertThrows(EtcdCallException.class, etcds.connect(foreignClient)::members)
                        .errorClass());
        assertThrows(
                EtcdCallException.class,
                () -> new JetcdConnector()
                        .connect(new EtcdAccess(own.endpoints(), "no PEM", "no PEM", "no PEM")));
    }

    @Test
    void nobodyAtTheEndpointIsTransientAndQuick() {
        URI nobody = EtcdProcess.freeUrl();
        EtcdCluster cluster = etcds.connect(EtcdAccess.plain(List.of(nobody)));
        var failure = assertThrows(EtcdCallException.class, cluster::members);
        assertEquals(ErrorClass.TRANSIENT, failure.errorClass());
        assertTrue(failure.getMessage().contains(nobody.toString()), failure.getMessage());
        assertEquals(
                ErrorClass.TRANSIENT,
                assertThrows(
                                EtcdCallException.class,
                                () -> cluster.addLearner(EtcdProcess.freeUrl()))
                        .errorClass());
        // the machine may be busy just then, but no call waits for its deadline
        Duration quickest = Stream.generate(() -> took(cluster::members))
                .limit(10)
                .min(Duration::compareTo)
                .orElseThrow();
        assertTrue(quickest.compareTo(Duration.ofSeconds(3)) < 0, quickest::toString);
    }

    private static Duration took(Executable failing) {
        var before = Instant.now();
        assertThrows(EtcdCallException.class, failing);
        return Duration.between(before, Instant.now());
    }

    private EtcdProcess grow(EtcdCluster cluster, EtcdBinary binary, String name) {
        var join = new LoopbackJoin(etcds, cluster, binary, folder, name);
        join.finish();
        return join.process();
    }

    private static void refused(ErrorClass expected, String text, Runnable call) {
        var failure = assertThrows(EtcdCallException.class, call::run);
        assertEquals(text, failure.text(), failure.getMessage());
        assertEquals(expected, failure.errorClass());
    }
}
