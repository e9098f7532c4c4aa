package io.kjadm.core.kube;

import static io.kjadm.core.error.Reasons.assertReason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.ReportingWaiter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.CommonReason;
import io.kjadm.manifests.RbacObjects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

/** Which answers of an API server are worth another try. */
class KubeCallsTest {

    private static final Instant START = Instant.parse("2026-11-20T10:00:00Z");
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private final VirtualWaiter waiter = new VirtualWaiter(START);
    private final KubeCalls calls = new KubeCalls(waiter, LIMIT);

    private static Supplier<String> failing(int times, Kind kind) {
        int[] left = {times};
        return () -> {
            if (left[0]-- > 0) {
                throw new KubeApiException(kind, "made to fail as " + kind, null);
            }
            return "done";
        };
    }

    @ParameterizedTest
    @EnumSource(names = {"FORBIDDEN", "NOT_FOUND", "UNAVAILABLE", "UNREACHABLE", "CONFLICT"})
    void inAClusterThatIsComingUpTheseRefusalsPass(Kind kind) {
        assertEquals("done", calls.repeatWhileStarting("area", "do it", failing(5, kind)));
    }

    @ParameterizedTest
    @EnumSource(names = {"INVALID", "ALREADY_EXISTS", "UNTIMELY", "OTHER"})
    void theseNeverPass(Kind kind) {
        ClusterException refused = assertThrows(
                ClusterException.class,
                () -> calls.repeatWhileStarting("area", "do it", failing(1, kind)));
        assertEquals("could not do it", refused.what());
        assertEquals(START, waiter.now(), "nothing was waited for");
    }

    /** Behind a balancer, while the server of a former cluster goes. */
    @Test
    void aServerThatIsNotTrustedIsAskedAgainForSomeSeconds() {
        assertEquals("done", calls.repeat("area", "do it", failing(9, Kind.UNTRUSTED)));
    }

    @Test
    void aServerThatStaysUntrustedIsToldLongBeforeTheLimit() {
        ClusterException refused = assertThrows(
                ClusterException.class,
                () -> calls.repeat("area", "do it", failing(1000, Kind.UNTRUSTED)));
        assertEquals("check that the CA certificate is the one of this cluster", refused.next());
        assertEquals(START.plusSeconds(5), waiter.now());
    }

    @Test
    void whatHasADefaultIsAskedForBriefly() {
        KubeCalls brief = KubeCalls.brief(waiter);
        assertEquals("done", brief.repeat("area", "read it", failing(5, Kind.UNAVAILABLE)));
        Instant began = waiter.now();
        assertReason(
                CommonReason.TIMED_OUT,
                ClusterException.class,
                () -> brief.repeat("area", "read it", failing(1000, Kind.UNREACHABLE)));
        assertEquals(Duration.ofMillis(350), Duration.between(began, waiter.now()));
    }

    @Test
    void aDryRunSaysForWhatItWouldWaitAndEnds() {
        RecordingReporter out = new RecordingReporter();
        KubeCalls dry = new KubeCalls(new ReportingWaiter(waiter::now, out), LIMIT);
        ClusterException ended = assertThrows(
                ClusterException.class,
                () -> dry.repeat("area", "read it", failing(1, Kind.UNREACHABLE)));
        assertEquals(
                "the dry run cannot continue: it would wait now for the API server to read it",
                ended.what());
        assertEquals("done", dry.repeat("area", "read it", failing(0, Kind.UNREACHABLE)));
    }

    @Test
    void whatDoesNotPassInTimeEndsWithTheLastAnswer() {
        ClusterException refused = assertThrows(
                ClusterException.class,
                () -> calls.repeatWhileStarting(
                        "area", "do it", failing(Integer.MAX_VALUE, Kind.FORBIDDEN)));
        assertEquals("the last answer was: made to fail as FORBIDDEN", refused.why());
        assertTrue(refused.next().contains(KubeApiException.CHECK_RIGHTS), refused.next());
        assertTrue(!waiter.now().isBefore(START.plus(LIMIT)), "the whole limit was used");
    }

    @Test
    void otherwiseOnlyWhatIsToldToMayPass() {
        assertEquals("done", calls.repeatUntilAllowed("area", "do it", failing(1, Kind.FORBIDDEN)));
        assertThrows(
                ClusterException.class,
                () -> calls.repeatUntilAllowed("area", "do it", failing(1, Kind.NOT_FOUND)));
        ClusterException refused = assertThrows(
                ClusterException.class,
                () -> calls.repeat("area", "do it", failing(1, Kind.FORBIDDEN)));
        assertEquals(KubeApiException.CHECK_RIGHTS, refused.next());
    }

    /** Without its binding, admin.conf is forbidden everything, and only one group can change it. */
    @Test
    void theGroupOfTheAdministratorIsNamed() {
        String group = RbacObjects.CLUSTER_ADMINS_GROUP;
        assertEquals(
                ("check that the credentials are valid and allowed to do this;"
                                + " the certificate of admin.conf needs group %s,"
                                + " and that group its ClusterRoleBinding."
                                + " If the cluster lacks it, run on the node with super-admin.conf:"
                                + " kubectl --kubeconfig /etc/kubernetes/super-admin.conf"
                                + " create clusterrolebinding %s --clusterrole=cluster-admin"
                                + " --group=%s")
                        .formatted(group, group, group),
                KubeApiException.CHECK_RIGHTS);
    }
}
