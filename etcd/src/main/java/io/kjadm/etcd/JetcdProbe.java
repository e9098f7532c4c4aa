package io.kjadm.etcd;

import io.etcd.jetcd.api.ClusterGrpc;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.MemberListRequest;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.StatusResponse;
import io.grpc.Deadline;
import io.grpc.ManagedChannel;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Real members, each asked over its own connection. */
final class JetcdProbe implements EtcdProbe {

    private static final Logger LOG = LoggerFactory.getLogger(JetcdProbe.class);
    private static final Duration LIST_LIMIT = Duration.ofSeconds(8);

    private final List<URI> given;
    private final Channels channels;

    JetcdProbe(List<URI> given, Channels channels) {
        this.given = given;
        this.channels = channels;
    }

    /** The time for several calls together. */
    private record Limit(Duration length, Deadline end) {

        static Limit of(Duration length) {
            return new Limit(length, Deadline.after(length.toMillis(), TimeUnit.MILLISECONDS));
        }
    }

    @Override
    public List<Member> members() {
        Limit limit = Limit.of(LIST_LIMIT);
        Map<URI, EtcdCallException> failures = new ConcurrentHashMap<>();
        return ParallelCalls.firstPresent(given, endpoint -> {
                    try {
                        return Optional.of(
                                list(endpoint, MemberListRequest.getDefaultInstance(), limit));
                    } catch (EtcdCallException e) {
                        failures.put(endpoint, e);
                        return Optional.empty();
                    }
                })
                .orElseThrow(() -> worst(failures));
    }

    /**
     * One that cannot pass by itself, such as a certificate that is not trusted, is better news
     * than who is not there.
     */
    private EtcdCallException worst(Map<URI, EtcdCallException> failures) {
        return given.stream()
                .map(failures::get)
                .filter(failure -> failure.errorClass() == ErrorClass.FATAL)
                .findFirst()
                .orElseGet(() -> failures.get(given.getFirst()));
    }

    @Override
    public MemberProbe look(Member member, Duration time) {
        Limit limit = Limit.of(time);
        Optional<EtcdCallException> failure = Optional.empty();
        for (URI url : member.clientUrls()) {
            try {
                MemberStatus status = EtcdMessages.status(status(url, limit));
                if (status.memberId().equals(member.id())) {
                    return look(member, url, status, limit);
                }
                // a loopback client URL leads to our own etcd, not to the member's
                failure = failure.or(() -> Optional.of(unreachable(
                        member, "member %s answers at %s".formatted(status.memberId(), url))));
            } catch (EtcdCallException e) {
                failure = failure.or(() -> Optional.of(e));
            }
        }
        throw failure.orElseGet(
                () -> unreachable(member, "the member has not published its client URLs yet"));
    }

    private MemberProbe look(Member member, URI url, MemberStatus status, Limit limit) {
        OptionalLong quota = status.database().quotaBytes();
        if (member.learner()) {
            return new MemberProbe(status, quota, Optional.empty(), Optional.empty());
        }
        // without a leader the agreed list would only wait for its own limit
        Optional<List<Member>> agreed = status.leaderId().isNone()
                ? Optional.empty()
                : tried(url, EtcdMessages.linearizableList(), limit);
        return new MemberProbe(
                status, quota, agreed, tried(url, MemberListRequest.getDefaultInstance(), limit));
    }

    private Optional<List<Member>> tried(URI url, MemberListRequest request, Limit limit) {
        try {
            return Optional.of(list(url, request, limit));
        } catch (EtcdCallException e) {
            LOG.debug("no member list: {}", e.getMessage());
            return Optional.empty();
        }
    }

    private StatusResponse status(URI url, Limit limit) {
        return call(
                "status",
                url,
                limit,
                channel -> MaintenanceGrpc.newBlockingStub(channel)
                        .withDeadline(limit.end())
                        .status(StatusRequest.getDefaultInstance()));
    }

    private List<Member> list(URI url, MemberListRequest request, Limit limit) {
        return EtcdMessages.members(call(
                        "member list",
                        url,
                        limit,
                        channel -> ClusterGrpc.newBlockingStub(channel)
                                .withDeadline(limit.end())
                                .memberList(request))
                .getMembersList());
    }

    private <T> T call(String what, URI url, Limit limit, Function<ManagedChannel, T> rpc) {
        URI endpoint = EtcdUrls.canonical(url, EtcdPorts.CLIENT);
        try {
            return channels.call(what, RpcKind.READ, endpoint, rpc);
        } catch (EtcdCallException e) {
            throw e.code() == RpcCode.DEADLINE_EXCEEDED
                    ? new EtcdCallException(
                            ErrorClass.TRANSIENT,
                            RpcCode.DEADLINE_EXCEEDED,
                            "no answer within %d s".formatted(limit.length().toSeconds()),
                            what + " at " + endpoint,
                            e.getCause())
                    : e;
        }
    }

    private static EtcdCallException unreachable(Member member, String why) {
        return new EtcdCallException(
                ErrorClass.TRANSIENT, RpcCode.UNAVAILABLE, why, "status of " + member.id(), null);
    }

    @Override
    public void close() {
        channels.close();
    }
}
