package io.kjadm.core.etcd.commands;

import static io.kjadm.core.error.Reasons.assertReason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.Forwarding;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.RpcCode;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What a look leaves open, and whom it asks. */
class EtcdSessionTest {

    private final OpsLab lab = new OpsLab(3).onControlPlane();
    private final List<Connection> connections = new ArrayList<>();
    private final Set<String> late = ConcurrentHashMap.newKeySet();
    private int failures;

    @Test
    void theConnectionIsClosedAtTheEnd() {
        try (EtcdSession session = open()) {
            session.survey();
            assertEquals(List.of(true), stillOpen());
        }
        assertEquals(List.of(false), stillOpen());
    }

    @Test
    void theConnectionToSilentEndpointsIsClosedBeforeOthersAreAsked() {
        lab.etcd.stop(lab.etcd.id("cp-1"));
        lab.etcd.stop(lab.etcd.id("cp-2"));
        lab.hinted.add(URI.create("https://cp-3:2379"));
        try (EtcdSession session = open()) {
            session.survey();
            assertEquals(List.of(false, true), stillOpen());
        }
        assertEquals(List.of(false, false), stillOpen());
    }

    @Test
    void whoChangesTheMembersIsAskedOnlyWhereThereIsALearner() {
        lab.lock = lab.held("cp-4/run", Duration.ofMinutes(3), true);
        assertEquals(new MembershipLeaseStatus.Free(), open().status().lock());
        lab.learner("cp-4");
        assertEquals(lab.lock, open().status().lock());
    }

    /** A reboot does what no command of kjadm would. */
    @Test
    void aMemberThatWouldRemoveAllOthersWhenItStartsIsTold() {
        assertEquals(Optional.empty(), startProblem());
        lab.files.with(
                "/etc/kubernetes/manifests/etcd.yaml",
                lab.files
                        .read(Path.of("/etc/kubernetes/manifests/etcd.yaml"))
                        .orElseThrow()
                        .replace("- --name=cp-1", "- --name=cp-1\n    - --force-new-cluster"));
        assertEquals(
                Optional.of(CommonReason.STARTS_ALONE), startProblem().flatMap(Problem::reason));
    }

    private Optional<Problem> startProblem() {
        try (EtcdSession session = open()) {
            return session.startProblem(session.status());
        }
    }

    @Test
    void whoIsTooSlowIsAskedAgain() {
        failures = 2;
        assertEquals(
                3, named(RpcCode.DEADLINE_EXCEEDED).survey().health().members().size());
        assertEquals(0, failures);
    }

    @Test
    void whoStaysTooSlowIsNotAskedForEver() {
        failures = 100;
        EtcdSession session = named(RpcCode.DEADLINE_EXCEEDED);
        assertThrows(ClusterException.class, session::survey);
        assertEquals(97, failures);
    }

    @Test
    void whoRefusesIsNotAskedAgain() {
        failures = 1;
        EtcdSession session = named(RpcCode.UNAVAILABLE);
        assertThrows(ClusterException.class, session::survey);
    }

    /** It runs, so nobody is to look why it does not. */
    @Test
    void authenticationThatRefusesIsToldFromSilence() {
        failures = 1;
        EtcdSession session = named(RpcCode.INVALID_ARGUMENT, "etcdserver: user name is empty");
        assertReason(CommonReason.NOT_PERMITTED, ClusterException.class, session::survey);
    }

    @Test
    void endpointsOfTwoClustersAreRefusedWithBothIds() {
        ClusterException refused = assertThrows(
                ClusterException.class,
                () -> strange("https://cp-1:2379", "https://cp-2:2379", "https://cp-3:2379"));
        assertEquals(
                "cluster c1: https://cp-1:2379, https://cp-3:2379; cluster c2: https://cp-2:2379",
                refused.why());
        assertEquals(List.of(false), stillOpen());
    }

    /** As the first connections of a process on a busy machine. */
    @Test
    void endpointsThatAreLateAtFirstAreAskedAgainForTheirCluster() {
        late.addAll(List.of("cp-1", "cp-2"));
        ClusterException refused = assertThrows(
                ClusterException.class, () -> strange("https://cp-1:2379", "https://cp-2:2379"));
        assertEquals("cluster c1: https://cp-1:2379; cluster c2: https://cp-2:2379", refused.why());
    }

    @Test
    void anEndpointThatDoesNotAnswerIsOfNoOtherCluster() {
        lab.etcd.stop(lab.etcd.id("cp-2"));
        try (EtcdSession session = strange("https://cp-1:2379", "https://cp-2:2379")) {
            assertEquals("c1", session.survey().clusterId());
        }
    }

    @Test
    void aSingleEndpointIsNotAskedForItsCluster() {
        try (EtcdSession session = strange("https://cp-2:2379")) {
            assertEquals(List.of(true), stillOpen());
        }
    }

    /** Endpoints of which that of cp-2 is of another cluster. */
    private EtcdSession strange(String... endpoints) {
        return lab.open(EtcdTarget.of(List.of(endpoints), Optional.empty()), access -> {
            connections.add(new Connection(lab.etcd) {
                @Override
                public MemberStatus status(URI clientUrl) {
                    if (late.remove(clientUrl.getHost())) {
                        throw new EtcdCallException(
                                ErrorClass.TRANSIENT,
                                RpcCode.DEADLINE_EXCEEDED,
                                "silent",
                                "status",
                                null);
                    }
                    MemberStatus said = super.status(clientUrl);
                    return clientUrl.getHost().equals("cp-2") ? of("c2", said) : said;
                }
            });
            return connections.getLast();
        });
    }

    private static MemberStatus of(String clusterId, MemberStatus said) {
        return new MemberStatus(
                new MemberIds(clusterId, said.memberId()),
                said.leaderId(),
                said.versions(),
                said.database(),
                said.raft(),
                said.learner(),
                said.errors());
    }

    /** One endpoint whose first answers are this failure. */
    private EtcdSession named(RpcCode failure) {
        return named(failure, "silent");
    }

    private EtcdSession named(RpcCode failure, String text) {
        return lab.open(
                EtcdTarget.of(List.of("https://cp-1:2379"), Optional.empty()),
                access -> new Forwarding(lab.etcd) {
                    @Override
                    public List<Member> membersKnownTo(URI clientUrl) {
                        if (failures-- > 0) {
                            throw new EtcdCallException(
                                    ErrorClass.TRANSIENT, failure, text, "member list", null);
                        }
                        failures = 0;
                        return super.membersKnownTo(clientUrl);
                    }
                });
    }

    private EtcdSession open() {
        return lab.open(EtcdTarget.of(List.of(), Optional.empty()), access -> {
            connections.add(new Connection(lab.etcd));
            return connections.getLast();
        });
    }

    private List<Boolean> stillOpen() {
        return connections.stream().map(connection -> connection.open).toList();
    }

    private static class Connection extends Forwarding {

        private boolean open = true;

        Connection(EtcdCluster real) {
            super(real);
        }

        @Override
        public void close() {
            open = false;
            super.close();
        }
    }
}
