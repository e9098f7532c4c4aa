package io.kjadm.etcd;

import io.grpc.ManagedChannel;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Which members of a cluster are asked, and in which order: the leader first. Starts from the
 * endpoints given and follows the member list from then on: the client URLs of the voters that have
 * started. Learners serve next to nothing and stay out.
 */
final class MemberCalls {

    private static final Logger LOG = LoggerFactory.getLogger(MemberCalls.class);

    private final List<URI> given;
    private final Channels channels;
    private final EtcdCluster cluster;
    private volatile List<Member> members = List.of();
    private volatile URI lastLeader;

    /** A member that says it leads, and where it said so. */
    record Leader(URI endpoint, MemberStatus status) {}

    MemberCalls(List<URI> given, Channels channels, EtcdCluster cluster) {
        this.given = given;
        this.channels = channels;
        this.cluster = cluster;
    }

    /** From now on, asks these members. */
    void follow(List<Member> listed) {
        members = listed;
    }

    /** The leader that is known is one no longer. */
    void leaderMoved() {
        lastLeader = null;
    }

    /** Reads the member list if that was not done yet. */
    MemberCalls listed() {
        if (members.isEmpty()) {
            follow(cluster.members());
        }
        return this;
    }

    /**
     * A change goes to the leader first: a member with a broken link refuses what another would do.
     */
    <T> T change(String what, Function<ManagedChannel, T> rpc) {
        return listed().atFirstThatAnswers(what, RpcKind.CHANGE, rpc);
    }

    /** Asks the leader first, then the others. */
    <T> T read(String what, Function<ManagedChannel, T> rpc) {
        return atFirstThatAnswers(what, RpcKind.READ, rpc);
    }

    private <T> T atFirstThatAnswers(String what, RpcKind kind, Function<ManagedChannel, T> rpc) {
        List<EtcdCallException> failures = new ArrayList<>();
        for (URI endpoint : leaderFirst()) {
            try {
                return channels.call(what, kind, endpoint, rpc);
            } catch (EtcdCallException e) {
                if (!worthAskingAnother(kind, e)) {
                    throw e;
                }
                LOG.debug("asking another member: {}", e.getMessage());
                failures.add(e);
            }
        }
        throw worst(failures);
    }

    /**
     * A read may go anywhere. A change only if it certainly did not happen and another member may
     * see it otherwise.
     */
    private static boolean worthAskingAnother(RpcKind kind, EtcdCallException e) {
        if (Thread.currentThread().isInterrupted()) {
            return false;
        }
        return kind == RpcKind.READ
                || e.errorClass() == ErrorClass.TRANSIENT
                || e.says(EtcdErrors.UNHEALTHY);
    }

    /**
     * What a server said is more useful news than who is not there; among equals, what came first.
     */
    static EtcdCallException worst(List<EtcdCallException> failures) {
        EtcdCallException worst = failures.getFirst();
        for (EtcdCallException failure : failures) {
            if (weight(failure) > weight(worst)) {
                worst = failure;
            }
        }
        for (EtcdCallException failure : failures) {
            if (failure != worst) {
                worst.addSuppressed(failure);
            }
        }
        return worst;
    }

    private static int weight(EtcdCallException failure) {
        return switch (failure.errorClass()) {
            case FATAL -> 4;
            case NEEDS_HUMAN -> 3;
            case DONE, WAIT, AMBIGUOUS -> 2;
            case TRANSIENT -> failure.says(EtcdErrors.NO_LEADER) ? 1 : 0;
        };
    }

    /**
     * The member that leads.
     *
     * @throws EtcdCallException if none does
     */
    Leader leader(String what) {
        return listed().leader()
                .orElseThrow(() -> EtcdCallException.refused(
                        RpcKind.READ, RpcCode.UNAVAILABLE, EtcdErrors.NO_LEADER, what));
    }

    private Set<URI> leaderFirst() {
        var order = new LinkedHashSet<URI>();
        leader().map(Leader::endpoint).ifPresent(order::add);
        order.addAll(endpoints());
        return order;
    }

    private Optional<Leader> leader() {
        URI likely = lastLeader;
        Optional<Leader> leader = likely == null ? Optional.empty() : leaderAt(likely);
        if (leader.isEmpty()) {
            leader = ParallelCalls.firstPresent(endpoints(), this::leaderAt);
        }
        lastLeader = leader.map(Leader::endpoint).orElse(null);
        return leader;
    }

    private Optional<Leader> leaderAt(URI endpoint) {
        try {
            MemberStatus status = cluster.status(endpoint);
            return status.leads() ? Optional.of(new Leader(endpoint, status)) : Optional.empty();
        } catch (EtcdCallException e) {
            LOG.debug("no status: {}", e.getMessage());
            return Optional.empty();
        }
    }

    /**
     * The client URLs of started voters, then what was given, as the list may be older than the
     * operator's word.
     */
    private Set<URI> endpoints() {
        var endpoints = new LinkedHashSet<URI>();
        var learners = new LinkedHashSet<URI>();
        for (Member member : members) {
            Set<URI> urls = member.started() && member.voter() ? endpoints : learners;
            member.clientUrls().stream()
                    .filter(this::reachable)
                    .map(MemberCalls::canonical)
                    .forEach(urls::add);
        }
        given.stream()
                .map(MemberCalls::canonical)
                .filter(url -> !learners.contains(url))
                .forEach(endpoints::add);
        return endpoints;
    }

    /** Somebody else's loopback URL would lead to this machine. */
    private boolean reachable(URI clientUrl) {
        return !EtcdUrls.loopback(clientUrl) || given.stream().anyMatch(EtcdUrls::loopback);
    }

    private static URI canonical(URI url) {
        return EtcdUrls.canonical(url, EtcdPorts.CLIENT);
    }
}
