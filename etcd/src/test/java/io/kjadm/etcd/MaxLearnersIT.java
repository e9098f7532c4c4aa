package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.check.ClusterFacts;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Why kjadm adds one learner at a time and sets no {@code --max-learners}: each member compares an add
 * that is committed with the limit of its own flag (applyConfChange in etcd's server.go). Members with
 * different limits list different members from then on.
 */
class MaxLearnersIT {

    @TempDir
    Path folder;

    @RegisterExtension
    final EtcdProcesses etcds = new EtcdProcesses();

    static List<EtcdBinary> versions() {
        return EtcdBinary.found(version -> version.atLeast(3, 6));
    }

    @ParameterizedTest
    @MethodSource("versions")
    void membersWithDifferentLimitsListDifferentMembers(EtcdBinary binary) throws Exception {
        List<EtcdProcess> started = started(binary, true);
        EtcdCluster cluster = cluster(started);
        addTwoLearners(cluster);
        EtcdProcesses.until("the lists to differ", () -> lists(cluster).size() > 1);

        // another leader does not put that right
        lead(cluster, started.get(1));
        assertEquals(
                Map.of("a", 5, "b", 4, "c", 4),
                started.stream()
                        .collect(Collectors.toMap(
                                EtcdProcess::name,
                                it -> cluster.membersKnownTo(it.clientUrl()).size())));
        assertTrue(facts(cluster).mayPass(), "the check of the member lists finds it");
    }

    @ParameterizedTest
    @MethodSource("versions")
    void membersWithOneLimitAgree(EtcdBinary binary) throws Exception {
        EtcdCluster cluster = cluster(started(binary, false));
        addTwoLearners(cluster);
        EtcdProcesses.until("the lists to agree", () -> lists(cluster).size() == 1);
        assertFalse(facts(cluster).mayPass());
    }

    private List<EtcdProcess> started(EtcdBinary binary, boolean different) throws Exception {
        Map<String, URI> urls = new LinkedHashMap<>();
        List.of("a", "b", "c").forEach(name -> urls.put(name, EtcdProcess.freeUrl()));
        List<EtcdProcess> all = EtcdProcess.together(binary, folder, urls).stream()
                .map(etcd -> different && !etcd.name().equals("a")
                        ? etcd
                        : etcd.with("--max-learners=3"))
                .toList();
        for (EtcdProcess etcd : all) {
            etcds.start(etcd);
        }
        return all;
    }

    /** Led by the first. */
    private EtcdCluster cluster(List<EtcdProcess> started) {
        EtcdCluster cluster = etcds.connect(
                EtcdAccess.plain(started.stream().map(EtcdProcess::clientUrl).toList()));
        EtcdProcesses.until(
                "three voters", () -> EtcdHealth.ask(cluster).healthyVoters() == started.size());
        lead(cluster, started.getFirst());
        return cluster;
    }

    private static void lead(EtcdCluster cluster, EtcdProcess next) {
        EtcdProcesses.until(next.name() + " to lead", () -> {
            MemberStatus status = cluster.status(next.clientUrl());
            if (!status.leads()) {
                cluster.moveLeader(status.leaderId(), status.memberId());
            }
            return status.leads();
        });
    }

    private static void addTwoLearners(EtcdCluster cluster) {
        EtcdProcesses.until(
                "a learner", () -> cluster.addLearner(EtcdProcess.freeUrl()).learner());
        EtcdProcesses.pause(Duration.ofSeconds(1));
        EtcdProcesses.until(
                "another one", () -> cluster.addLearner(EtcdProcess.freeUrl()).learner());
    }

    private static Set<Set<MemberId>> lists(EtcdCluster cluster) {
        return EtcdHealth.ask(cluster).voters().stream()
                .map(voter -> cluster.membersKnownTo(voter.clientUrls().getFirst()).stream()
                        .map(Member::id)
                        .collect(Collectors.toSet()))
                .collect(Collectors.toSet());
    }

    private static ClusterFacts facts(EtcdCluster cluster) {
        List<Member> members = cluster.members();
        List<URI> urls =
                members.stream().flatMap(member -> member.clientUrls().stream()).toList();
        try (EtcdProbe probe = EtcdProbe.open(EtcdAccess.plain(urls))) {
            Map<MemberId, MemberProbe> looks = members.stream()
                    .filter(Member::started)
                    .collect(Collectors.toMap(
                            Member::id, member -> probe.look(member, EtcdProcesses.LIMIT)));
            return ClusterFacts.of(members, looks, Map.of());
        }
    }
}
