package io.kjadm.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import io.kjadm.e2e.cluster.EtcdProxy;
import io.kjadm.e2e.cluster.EtcdProxy.Fault;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.cluster.Trial;

import java.time.Duration;
import java.util.List;

/**
 * Calls between kjadm and etcd that are lost, late or answered wrongly, by a proxy between the two.
 */
final class LostAnswers {
    private static final Status TIMED_OUT =
            Status.UNAVAILABLE.withDescription("etcdserver: request timed out");
    private static final Status NOT_IN_SYNC = Status.FAILED_PRECONDITION.withDescription(
            "etcdserver: can only promote a learner member which is in sync with leader");
    private static final Status UNHEALTHY =
            Status.UNAVAILABLE.withDescription("etcdserver: unhealthy cluster");
    private static final Status DENIED =
            Status.PERMISSION_DENIED.withDescription("etcdserver: permission denied");

    private LostAnswers() {}

    static List<FaultCase> cases() {
        return List.of(
                joins(
                                "F04",
                                "the answer to the add is lost",
                                EtcdProxy.ADD,
                                1,
                                new Fault.AnswerLost())
                        .usually(),
                joins(
                        "F34",
                        "the request to add is lost",
                        EtcdProxy.ADD,
                        2,
                        new Fault.RequestLost()),
                joins(
                        "F36",
                        "the add is applied and said to have timed out",
                        EtcdProxy.ADD,
                        1,
                        new Fault.Misreported(TIMED_OUT)),
                joins(
                        "F31",
                        "the add is refused twice as unhealthy",
                        EtcdProxy.ADD,
                        3,
                        new Fault.Refused(UNHEALTHY),
                        new Fault.Refused(UNHEALTHY)),
                joins(
                        "F09",
                        "the answer to the promotion is lost",
                        EtcdProxy.PROMOTE,
                        1,
                        new Fault.AnswerLost()),
                joins(
                        "F08",
                        "the request to promote is lost",
                        EtcdProxy.PROMOTE,
                        2,
                        new Fault.RequestLost()),
                joins(
                        "F52",
                        "the promotion is applied and said to have timed out",
                        EtcdProxy.PROMOTE,
                        1,
                        new Fault.Misreported(TIMED_OUT)),
                joins(
                        "F26",
                        "the promotion is refused three times as not in sync",
                        EtcdProxy.PROMOTE,
                        4,
                        new Fault.Refused(NOT_IN_SYNC),
                        new Fault.Refused(NOT_IN_SYNC),
                        new Fault.Refused(NOT_IN_SYNC)),
                FaultCase.of(
                        "F38",
                        "whatever the members agree about takes two seconds",
                        LostAnswers::slow),
                FaultCase.of("F73", "etcd denies the permission", LostAnswers::denied),
                FaultCase.of(
                        "F109",
                        "the answer to the removal is lost, at a reset",
                        LostAnswers::removalLost));
    }

    /** @param sent how often the request may be sent in all */
    private static FaultCase joins(
            String number, String what, String method, int sent, Fault... faults) {
        return FaultCase.of(number, what, trial -> {
            try (var proxy = EtcdProxy.between(trial.node(2), trial.node(1))) {
                for (Fault fault : faults) {
                    proxy.next(method, fault);
                }
                Scene.joined(trial, 2);
                assertEquals(sent, proxy.calls(method), "requests sent");
            }
            trial.assertJoined(1, 2);
        });
    }

    private static void slow(Trial trial) {
        try (var proxy =
                EtcdProxy.between(trial.node(2), trial.node(1)).slow(Duration.ofSeconds(2))) {
            Scene.joined(trial, 2);
            assertTrue(proxy.calls(EtcdProxy.ADD) == 1, "one add");
        }
        trial.assertJoined(1, 2);
    }

    private static void denied(Trial trial) {
        try (var proxy = EtcdProxy.between(trial.node(2), trial.node(1))
                .next(EtcdProxy.ADD, new Fault.Refused(DENIED))) {
            Scene.refused(trial, 2, List.of(), "permission denied");
            assertEquals(1, proxy.calls(EtcdProxy.ADD), "adds sent");
        }
        Scene.joined(trial, 2);
        trial.assertJoined(1, 2);
    }

    private static void removalLost(Trial trial) {
        trial.grow(2);
        var proxies = List.of(
                EtcdProxy.between(trial.node(2), trial.node(1)),
                EtcdProxy.between(trial.node(2), trial.node(2)));
        try {
            proxies.forEach(proxy -> proxy.next(EtcdProxy.REMOVE, new Fault.AnswerLost()));
            trial.cluster().reset(Tool.KJADM, trial.node(2));
            assertTrue(
                    proxies.stream()
                                    .mapToInt(proxy -> proxy.calls(EtcdProxy.REMOVE))
                                    .sum()
                            > 0,
                    "nothing passed");
        } finally {
            proxies.forEach(EtcdProxy::close);
        }
        trial.assertGone(trial.node(2));
    }
}
