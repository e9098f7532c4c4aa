package io.kjadm.etcd;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The membership of an etcd cluster in memory as its clients see it, with etcd's own refusals:
 * learner limit, quorum, readiness, started voters.
 */
abstract class SimulatedEtcd implements EtcdCluster {

    /** How often the members were asked for since the last add. */
    public int listsSinceChange;
    /** Size of every member's database. */
    public long databaseBytes = 1 << 20;

    private static final int SNAPSHOT_BYTES = 4 * SnapshotBytes.PAGE + 32;

    final List<SimulatedServer> servers = new ArrayList<>();
    final SimulatedDowngrade downgrade = new SimulatedDowngrade(servers);
    final Deque<SimulatedCluster.Fault> faults = new ArrayDeque<>();
    final Set<Alarm> raised = new LinkedHashSet<>();
    final Map<MemberId, long[]> databases = new HashMap<>();
    final Map<MemberId, Integer> busy = new HashMap<>();
    OptionalLong compactedBytes = OptionalLong.empty();
    OptionalLong quota = OptionalLong.empty();
    private long compacted;
    Runnable afterDefragmentation = () -> {};
    private final Set<MemberId> removed = new HashSet<>();
    final Set<MemberId> silent = new HashSet<>();
    final Map<MemberId, List<Member>> outdated = new HashMap<>();
    final Map<MemberId, MemberId> astray = new HashMap<>();
    final List<Runnable> late = new ArrayList<>();
    final List<String> changes = new ArrayList<>();
    final List<MemberId> askedHastily = new ArrayList<>();
    MemberId leader = MemberId.NONE;
    String clusterId = "c1";
    private long nextId = 0xa001;
    long term = 2;
    long commit = 100;
    final Set<MemberId> diverged = new HashSet<>();
    int maxLearners = 1;
    int unreadableLists;
    int unreadableListsAfterChange;
    int snapshotBytes = SNAPSHOT_BYTES;
    String local = "";
    Runnable beforeList = () -> {};
    Supplier<EtcdCallException> listRefusal;
    int unreadableStatuses;

    SimulatedServer append(List<URI> peerUrls, boolean learner, EtcdVersion version) {
        SimulatedServer server =
                new SimulatedServer(new MemberId(nextId++), peerUrls, learner, version);
        servers.add(server);
        return server;
    }

    @Override
    public synchronized List<Member> members() {
        beforeList.run();
        listsSinceChange++;
        if (unreadableLists > 0) {
            unreadableLists--;
            throw refused(RpcKind.READ, RpcCode.UNAVAILABLE, "io exception");
        }
        if (listRefusal != null) {
            throw listRefusal.get();
        }
        requireLeader(RpcKind.READ);
        return servers.stream().map(SimulatedServer::member).toList();
    }

    @Override
    public synchronized List<Member> membersKnownTo(URI clientUrl) {
        SimulatedServer asked = servers.stream()
                .filter(server -> server.up && serves(server, clientUrl))
                .findFirst()
                .orElseThrow(
                        () -> refused(RpcKind.READ, RpcCode.UNAVAILABLE, "Connection refused"));
        if (asked.learner) {
            throw refused(RpcKind.READ, RpcCode.UNAVAILABLE, EtcdErrors.RPC_AT_LEARNER);
        }
        return outdated.getOrDefault(
                asked.id, servers.stream().map(SimulatedServer::member).toList());
    }

    @Override
    public Map<Member, StatusAnswer> statuses(Collection<Member> members, MemberId starting) {
        askedHastily.add(starting);
        return statuses(members);
    }

    @Override
    public synchronized MemberStatus status(Member member) {
        if (unreadableStatuses > 0 && member.id().equals(leader)) {
            unreadableStatuses--;
            throw refused(RpcKind.READ, RpcCode.UNAVAILABLE, "io exception");
        }
        return servers.stream()
                .filter(server -> server.up
                        && server.id.equals(astray.getOrDefault(member.id(), member.id()))
                        && !silent.contains(server.id))
                .findFirst()
                .map(this::status)
                .orElseThrow(
                        () -> refused(RpcKind.READ, RpcCode.UNAVAILABLE, "Connection refused"));
    }

    @Override
    public synchronized MemberStatus status(URI clientUrl) {
        return servers.stream()
                .filter(server -> server.up && serves(server, clientUrl))
                .findFirst()
                .map(this::status)
                .orElseThrow(
                        () -> refused(RpcKind.READ, RpcCode.UNAVAILABLE, "Connection refused"));
    }

    private boolean serves(SimulatedServer server, URI clientUrl) {
        return server.member().clientUrls().contains(clientUrl)
                || clientUrl.getHost().equals("127.0.0.1") && server.name.equals(local);
    }

    private MemberStatus status(SimulatedServer server) {
        List<String> problems = leader.isNone()
                ? List.of(EtcdErrors.NO_LEADER)
                : raised.stream()
                        .map(alarm -> "memberID:%s alarm:%s "
                                .formatted(
                                        Long.toUnsignedString(alarm.memberId().value()),
                                        alarm.kind()))
                        .toList();
        long[] database = databases.get(server.id);
        return new MemberStatus(
                new MemberIds(clusterId, server.id),
                leader,
                downgrade.versions(server),
                new MemberStatus.Database(
                        database == null ? databaseBytes : database[0],
                        database == null ? OptionalLong.empty() : OptionalLong.of(database[1]),
                        quota),
                new MemberStatus.Raft(term, commit, server.applied),
                server.learner,
                problems);
    }

    @Override
    public synchronized Member addLearner(List<URI> peerUrls) {
        return add(peerUrls, true);
    }

    @Override
    public synchronized Member addVoter(List<URI> peerUrls) {
        return add(peerUrls, false);
    }

    private Member add(List<URI> peerUrls, boolean learner) {
        changes.add((learner ? "addLearner " : "addVoter ") + PeerUrls.of(peerUrls));
        listsSinceChange = 0;
        requireLeader(RpcKind.CHANGE);
        SimulatedCluster.Fault fault = refuseBefore();
        if (servers.stream().anyMatch(server -> !Collections.disjoint(server.peerUrls, peerUrls))) {
            throw refused(RpcKind.CHANGE, RpcCode.FAILED_PRECONDITION, EtcdErrors.PEER_URL_EXISTS);
        }
        if (learner && servers.stream().filter(server -> server.learner).count() >= maxLearners) {
            throw refused(
                    RpcKind.CHANGE, RpcCode.FAILED_PRECONDITION, EtcdErrors.TOO_MANY_LEARNERS);
        }
        long voters = servers.stream().filter(server -> !server.learner).count();
        long started = servers.stream()
                .filter(server -> !server.learner && !server.name.isEmpty())
                .count();
        if (!learner && voters > 1 && started < new Quorum((int) voters + 1).size()) {
            throw refused(RpcKind.CHANGE, RpcCode.UNKNOWN, EtcdErrors.NOT_ENOUGH_STARTED);
        }
        // a 3.3 server skips the field it does not know
        boolean asLearner = learner && servers.getFirst().version.knowsLearners();
        EtcdVersion version = servers.getFirst().version;
        apply(fault, () -> append(peerUrls, asLearner, version));
        return servers.getLast().member();
    }

    @Override
    public synchronized void promote(MemberId id) {
        changes.add("promote " + id);
        requireLeader(RpcKind.CHANGE);
        SimulatedCluster.Fault fault = refuseBefore();
        SimulatedServer server = servers.stream()
                .filter(s -> s.id.equals(id))
                .findFirst()
                .orElseThrow(() ->
                        refused(RpcKind.CHANGE, RpcCode.NOT_FOUND, EtcdErrors.MEMBER_NOT_FOUND));
        if (!server.learner) {
            throw refused(RpcKind.CHANGE, RpcCode.FAILED_PRECONDITION, EtcdErrors.NOT_A_LEARNER);
        }
        if (server.applied * 10 < commit * 9) {
            throw refused(
                    RpcKind.CHANGE, RpcCode.FAILED_PRECONDITION, EtcdErrors.LEARNER_NOT_READY);
        }
        apply(fault, () -> server.learner = false);
    }

    @Override
    public synchronized void remove(MemberId id) {
        changes.add("remove " + id);
        requireLeader(RpcKind.CHANGE);
        SimulatedCluster.Fault fault = refuseBefore();
        if (removed.contains(id) || servers.stream().noneMatch(server -> server.id.equals(id))) {
            throw refused(RpcKind.CHANGE, RpcCode.NOT_FOUND, EtcdErrors.MEMBER_NOT_FOUND);
        }
        apply(fault, () -> drop(id));
    }

    @Override
    public synchronized void moveLeader(MemberId from, MemberId to) {
        changes.add("moveLeader " + to);
        requireLeader(RpcKind.CHANGE);
        refuseBefore();
        if (!leader.equals(from)) {
            throw refused(RpcKind.READ, RpcCode.UNAVAILABLE, EtcdErrors.LEADER_CHANGED);
        }
        if (!server(to).up || server(to).learner) {
            throw refused(
                    RpcKind.CHANGE,
                    RpcCode.FAILED_PRECONDITION,
                    "etcdserver: bad leader transferee");
        }
        leader = to;
        term++;
    }

    @Override
    public synchronized List<Alarm> alarms() {
        return raised.stream().toList();
    }

    @Override
    public synchronized EtcdVersion validateDowngrade(EtcdVersion target) {
        requireLeader(RpcKind.READ);
        return downgrade.validate(target);
    }

    @Override
    public synchronized void enableDowngrade(EtcdVersion target) {
        changes.add("enableDowngrade %d.%d".formatted(target.major(), target.minor()));
        validateDowngrade(target);
        downgrade.enable(target);
    }

    @Override
    public synchronized void cancelDowngrade() {
        changes.add("cancelDowngrade");
        requireLeader(RpcKind.CHANGE);
        downgrade.cancel();
    }

    @Override
    public synchronized void snapshot(URI clientUrl, OutputStream into) throws IOException {
        status(clientUrl);
        // another one after each write
        into.write(SnapshotBytes.atRevision(commit + 2), 0, snapshotBytes);
    }

    @Override
    public synchronized KvHash hashKv(URI clientUrl, long revision) {
        int bent = diverged.contains(status(clientUrl).memberId()) ? 1 : 0;
        long upTo = revision == 0 ? commit : revision;
        return new KvHash(upTo, compacted, Long.hashCode(upTo) ^ bent);
    }

    @Override
    public synchronized long revision(URI clientUrl) {
        MemberStatus status = status(clientUrl);
        if (busy.merge(status.memberId(), -1, Integer::sum) >= 0) {
            throw refused(RpcKind.READ, RpcCode.DEADLINE_EXCEEDED, "deadline exceeded");
        }
        requireLeader(RpcKind.READ);
        if (status.learner()) {
            throw refused(RpcKind.READ, RpcCode.UNAVAILABLE, EtcdErrors.RPC_AT_LEARNER);
        }
        if (raised.stream().anyMatch(alarm -> alarm.is(Alarm.CORRUPT))) {
            throw refused(RpcKind.READ, RpcCode.DATA_LOSS, "etcdserver: corrupt cluster");
        }
        return commit;
    }

    @Override
    public synchronized void compact(long revision) {
        changes.add("compact " + revision);
        requireLeader(RpcKind.CHANGE);
        refuseBefore();
        if (revision <= compacted) {
            throw refused(RpcKind.CHANGE, RpcCode.OUT_OF_RANGE, EtcdErrors.COMPACTED);
        }
        compacted = revision;
        compactedBytes.ifPresent(
                bytes -> databases.values().forEach(database -> database[1] = bytes));
    }

    @Override
    public synchronized void defragment(URI clientUrl, Duration limit) {
        MemberId id = status(clientUrl).memberId();
        changes.add("defragment " + server(id).name);
        refuseBefore();
        long[] database = databases.get(id);
        if (database != null) {
            database[0] = database[1];
        }
        afterDefragmentation.run();
    }

    @Override
    public synchronized void disarm(Alarm alarm) {
        changes.add("disarm %s %s".formatted(alarm.kind(), alarm.memberId()));
        requireLeader(RpcKind.CHANGE);
        refuseBefore();
        raised.remove(alarm);
    }

    @Override
    public void close() {}

    // ---- inside

    private SimulatedCluster.Fault refuseBefore() {
        unreadableLists += unreadableListsAfterChange;
        unreadableListsAfterChange = 0;
        SimulatedCluster.Fault fault = faults.poll();
        return switch (fault) {
            case NO_LEADER ->
                throw refused(RpcKind.CHANGE, RpcCode.UNAVAILABLE, EtcdErrors.NO_LEADER);
            case UNHEALTHY ->
                throw refused(RpcKind.CHANGE, RpcCode.UNAVAILABLE, EtcdErrors.UNHEALTHY);
            case REQUEST_LOST ->
                throw refused(RpcKind.CHANGE, RpcCode.DEADLINE_EXCEEDED, "deadline exceeded");
            case LEADER_CHANGED -> {
                term++;
                throw refused(RpcKind.CHANGE, RpcCode.UNAVAILABLE, EtcdErrors.LEADER_CHANGED);
            }
            case NEEDS_HUMAN ->
                throw refused(RpcKind.CHANGE, RpcCode.UNKNOWN, EtcdErrors.NOT_ENOUGH_STARTED);
            case FORBIDDEN ->
                throw refused(
                        RpcKind.CHANGE, RpcCode.PERMISSION_DENIED, "etcdserver: permission denied");
            case REPLY_LOST, APPLIED_LATE -> fault;
            case null -> null;
        };
    }

    private void apply(SimulatedCluster.Fault fault, Runnable change) {
        if (fault == SimulatedCluster.Fault.APPLIED_LATE) {
            late.add(change);
            throw refused(RpcKind.CHANGE, RpcCode.UNAVAILABLE, EtcdErrors.TIMED_OUT);
        }
        change.run();
        commit++;
        servers.stream()
                .filter(server -> server.up && server.applied == commit - 1)
                .forEach(server -> server.applied++);
        elect();
        if (fault == SimulatedCluster.Fault.REPLY_LOST) {
            throw refused(RpcKind.CHANGE, RpcCode.DEADLINE_EXCEEDED, "deadline exceeded");
        }
    }

    void drop(MemberId id) {
        servers.removeIf(server -> server.id.equals(id));
        removed.add(id);
        elect();
    }

    void elect() {
        List<SimulatedServer> voters =
                servers.stream().filter(server -> !server.learner).toList();
        List<SimulatedServer> running =
                voters.stream().filter(server -> server.up).toList();
        if (running.size() < new Quorum(voters.size()).size()) {
            leader = MemberId.NONE;
        } else if (running.stream().noneMatch(server -> server.id.equals(leader))) {
            leader = running.getFirst().id;
            term++;
        }
    }

    private void requireLeader(RpcKind kind) {
        if (leader.isNone()) {
            throw refused(kind, RpcCode.UNAVAILABLE, EtcdErrors.NO_LEADER);
        }
    }

    SimulatedServer server(MemberId id) {
        return servers.stream()
                .filter(server -> server.id.equals(id))
                .findFirst()
                .orElseThrow();
    }

    static EtcdCallException refused(RpcKind kind, RpcCode code, String text) {
        return EtcdCallException.refused(kind, code, text, "simulated call");
    }
}
