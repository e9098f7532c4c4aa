package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Which member is asked, and whether another is when that one fails. */
class JetcdClusterTest {

    private static final URI PEER = URI.create("https://cp-9:2380");

    private final FakeEtcd first = new FakeEtcd(1);
    private final FakeEtcd second = new FakeEtcd(2);
    private EtcdCluster cluster = connected(first.url, second.url);

    /** The first call of a JVM loads gRPC, which may take longer than a member is given. */
    @BeforeAll
    static void warm() {
        try (FakeEtcd some = new FakeEtcd(1);
                EtcdCluster cluster =
                        new JetcdConnector().connect(EtcdAccess.plain(List.of(some.url)))) {
            assertTimeout(Duration.ofMinutes(1), () -> {
                while (EtcdCallException.of(cluster::members).isPresent()) {
                    Thread.onSpinWait();
                }
            });
        }
    }

    @BeforeEach
    void secondLeads() {
        leads(second.id);
        lists(first.voter(), second.voter());
    }

    private void leads(MemberId leader) {
        first.leader = leader;
        second.leader = leader;
    }

    private void lists(Member... members) {
        first.members = List.of(members);
        second.members = List.of(members);
    }

    private EtcdCluster connected(URI... endpoints) {
        return new JetcdConnector().connect(EtcdAccess.plain(List.of(endpoints)));
    }

    @AfterEach
    void close() {
        cluster.close();
        first.close();
        second.close();
    }

    private List<String> changes() {
        List<String> changes = new ArrayList<>();
        first.asked().stream()
                .filter(call -> !call.equals("list"))
                .forEach(call -> changes.add("1 " + call));
        second.asked().stream()
                .filter(call -> !call.equals("list"))
                .forEach(call -> changes.add("2 " + call));
        return changes;
    }

    private static Status says(String text) {
        return Status.UNAVAILABLE.withDescription(text);
    }

    private EtcdCallException failed(Runnable call) {
        return assertThrows(EtcdCallException.class, call::run);
    }

    @Test
    void aChangeGoesToTheLeader() {
        Member added = cluster.addLearner(PEER);
        assertTrue(added.learner());
        assertTrue(cluster.addVoter(PEER).voter());
        cluster.remove(first.id);
        cluster.promote(first.id);
        assertEquals(List.of("2 add", "2 add", "2 remove", "2 promote"), changes());
    }

    @Test
    void aMemberMayHaveSeveralPeerUrls() {
        List<URI> urls = List.of(PEER, URI.create("https://[fd00::4]:2380"));
        assertEquals(urls, cluster.addLearner(urls).peerUrls());
        assertEquals(urls, cluster.addVoter(urls).peerUrls());
    }

    /** It may have been applied, or still be: sent again it could be applied twice. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                EtcdErrors.TIMED_OUT,
                EtcdErrors.LEADER_CHANGED,
                "etcdserver: server stopped",
                "connection reset"
            })
    void aChangeThatMayHaveHappenedIsSentToNobodyElse(String text) {
        List.of("add", "remove", "promote").forEach(call -> second.refuses(call, says(text)));
        assertEquals(
                ErrorClass.AMBIGUOUS, failed(() -> cluster.addLearner(PEER)).errorClass());
        assertEquals(ErrorClass.AMBIGUOUS, failed(() -> cluster.addVoter(PEER)).errorClass());
        assertEquals(
                ErrorClass.AMBIGUOUS, failed(() -> cluster.remove(first.id)).errorClass());
        assertEquals(
                ErrorClass.AMBIGUOUS, failed(() -> cluster.promote(first.id)).errorClass());
        assertEquals(List.of("2 add", "2 add", "2 remove", "2 promote"), changes());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                EtcdErrors.TOO_MANY_LEARNERS,
                EtcdErrors.PEER_URL_EXISTS,
                EtcdErrors.NOT_ENOUGH_STARTED
            })
    void whatEveryMemberWouldRefuseIsAskedOnce(String text) {
        second.refuses("add", Status.FAILED_PRECONDITION.withDescription(text));
        assertEquals(text, failed(() -> cluster.addLearner(PEER)).text());
        assertEquals(List.of("2 add"), changes());
    }

    @ParameterizedTest
    @ValueSource(strings = {EtcdErrors.NO_LEADER, EtcdErrors.UNHEALTHY})
    void whatAnotherMemberMaySeeOtherwiseIsAskedThere(String text) {
        second.refuses("add", says(text));
        assertEquals(PEER, cluster.addLearner(PEER).peerUrls().getFirst());
        assertEquals(List.of("1 add", "2 add"), changes());
    }

    @Test
    void aReadGoesOnToTheNextWhateverTheFailure() {
        second.refuses("list", Status.UNKNOWN.withDescription("what is this"));
        assertEquals(2, cluster.members().size());
        second.refuses("list", Status.PERMISSION_DENIED.withDescription("not yours"));
        assertEquals(2, cluster.members().size());
        assertEquals(List.of("list", "list"), first.asked());
    }

    @Test
    void ofSeveralFailuresTheOneThatSaysMostIsTold() {
        first.refuses("list", says(EtcdErrors.NO_LEADER));
        second.refuses("list", says("connection reset"));
        EtcdCallException failure = failed(cluster::members);
        assertEquals(EtcdErrors.NO_LEADER, failure.text());
        assertEquals(1, failure.getSuppressed().length, "and the other with it");
        first.refuses(
                "list",
                Status.RESOURCE_EXHAUSTED.withDescription(
                        "etcdserver: mvcc: database space exceeded"));
        assertEquals(ErrorClass.NEEDS_HUMAN, failed(cluster::members).errorClass());
        second.refuses(
                "list", Status.PERMISSION_DENIED.withDescription("etcdserver: permission denied"));
        assertEquals(ErrorClass.FATAL, failed(cluster::members).errorClass());
    }

    @Test
    void amongEqualFailuresTheFirstIsTold() {
        first.refuses("list", says("one"));
        second.refuses("list", says("two"));
        assertEquals("two", failed(cluster::members).text(), "the leader was asked first");
    }

    @Test
    void anInterruptedChangeIsSentToNobodyElse() {
        second.refuses("add", says(EtcdErrors.NO_LEADER));
        cluster.members();
        Thread.currentThread().interrupt();
        failed(() -> cluster.addLearner(PEER));
        assertTrue(Thread.interrupted());
        assertEquals(List.of(), first.asked().stream().filter("add"::equals).toList());
    }

    @Test
    void aMemberThatIsGoneIsPassedOver() {
        cluster.members();
        second.close();
        leads(first.id);
        assertEquals(2, cluster.members().size());
        cluster.remove(second.id);
        assertEquals(List.of("1 remove"), changes());
    }

    @Test
    void whatOnlyTheLeaderCanDoFailsWhereNobodyLeads() {
        leads(MemberId.NONE);
        assertEquals(
                EtcdErrors.NO_LEADER, failed(() -> cluster.promote(first.id)).text());
        assertEquals(
                EtcdErrors.NO_LEADER,
                failed(() -> cluster.moveLeader(second.id, first.id)).text());
        assertEquals(List.of(), changes());
    }

    @Test
    void theLeaderHandsOverOnlyIfItStillLeads() {
        assertEquals(
                EtcdErrors.LEADER_CHANGED,
                failed(() -> cluster.moveLeader(first.id, second.id)).text());
        assertEquals(List.of(), changes());
        cluster.moveLeader(second.id, first.id);
        assertEquals(List.of("2 moveLeader"), changes());
        leads(first.id);
        cluster.remove(second.id);
        assertEquals(List.of("1 remove", "2 moveLeader"), changes());
    }

    @Test
    void theMemberListLeadsToTheLeader() {
        cluster.close();
        cluster = connected(first.url);
        cluster.remove(first.id);
        assertEquals(List.of("2 remove"), changes(), "it was not given");
    }

    @Test
    void aLearnerIsNotAskedThoughItWasGiven() {
        lists(first.voter(), second.learner());
        leads(first.id);
        cluster.members();
        first.refuses("list", says("connection reset"));
        failed(cluster::members);
        assertEquals(List.of(), second.asked());
    }

    @Test
    void aMemberThatHasNotStartedIsNotAsked() {
        Member unstarted =
                new Member(second.id, "", second.voter().peerUrls(), List.of(second.url), false);
        cluster.close();
        cluster = connected(first.url);
        lists(first.voter(), unstarted);
        leads(first.id);
        cluster.members();
        first.refuses("list", says("connection reset"));
        failed(cluster::members);
        assertEquals(List.of(), second.asked());
    }

    /** It would lead to this machine. */
    @Test
    void aLoopbackUrlIsAskedOnlyByWhoIsOnTheLoopbackItself() {
        cluster.close();
        cluster = connected(URI.create("http://0.0.0.0:" + first.url.getPort()));
        cluster.remove(second.id);
        assertEquals(List.of("1 remove"), changes());
        for (String name : List.of("localhost", "127.0.0.1")) {
            cluster.close();
            cluster = connected(URI.create("http://" + name + ":" + first.url.getPort()));
            cluster.remove(second.id);
        }
        assertEquals(List.of("1 remove", "2 remove", "2 remove"), changes());
    }

    @Test
    void aStatusIsThatOfTheMemberItself() {
        Member both =
                new Member(second.id, "cp-2", List.of(), List.of(first.url, second.url), false);
        assertEquals(second.id, cluster.status(both).memberId(), "the first URL is another's");
        Member turned =
                new Member(second.id, "cp-2", List.of(), List.of(second.url, first.url), false);
        assertEquals(second.id, cluster.status(turned).memberId());
        Member astray = new Member(new MemberId(7), "cp-7", List.of(), List.of(first.url), false);
        assertEquals(first.id, cluster.status(astray).memberId(), "for whoever compares");
        Member unstarted = new Member(new MemberId(7), "", List.of(), List.of(), false);
        assertEquals(
                "the member has not published its client URLs yet",
                failed(() -> cluster.status(unstarted)).text());
        first.refuses("status", says("connection reset"));
        assertEquals(
                "connection reset", failed(() -> cluster.status(first.voter())).text());
    }

    /** Before etcd serves, its port is open: whoever calls is neither refused nor answered. */
    @Test
    void aMemberThatStartsIsNotWaitedForAsLongAsTheOthers() throws IOException {
        try (ServerSocket mute = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Member starting = new Member(
                    new MemberId(9),
                    "cp-9",
                    List.of(PEER),
                    List.of(URI.create("http://127.0.0.1:" + mute.getLocalPort())),
                    true);
            List<Member> all = List.of(first.voter(), starting);
            Map<Member, StatusAnswer> answers = cluster.statuses(all, starting.id());
            assertEquals(
                    "it accepts connections but is not serving yet",
                    answers.get(starting).silence());
            assertTrue(answers.get(first.voter()).status().isPresent());
            assertNotEquals(
                    answers.get(starting),
                    cluster.statuses(all, first.id).get(starting),
                    "any other gets its time");
        }
    }
}
