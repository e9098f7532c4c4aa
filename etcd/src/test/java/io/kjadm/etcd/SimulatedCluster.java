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
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The membership of an etcd cluster in memory, with etcd's own refusals: learner limit, quorum,
 * readiness, started voters. Members are "processes" that may be down or lag; faults are queued for
 * the next change. Time passes only by {@link #tick}, which applies what was proposed late.
 */
public final class SimulatedCluster implements EtcdCluster {

    /** What happens to the next change. */
    public enum Fault {
        /** Applied, and the reply is lost. */
        REPLY_LOST,
        /** The reply is lost, and it is applied at the next tick. */
        APPLIED_LATE,
        /** The request times out and is never applied. */
        REQUEST_LOST,
        /** Refused because there is no leader for a moment. */
        NO_LEADER,
        /** Refused because the leader changed, not applied, under a new term. */
        LEADER_CHANGED,
        /** Refused as the connections are too young. */
        UNHEALTHY,
        /** Refused until somebody sees to the voters. */
        NEEDS_HUMAN,
        /** Refused whatever anybody does. */
        FORBIDDEN
    }

    /** How often the members were asked for since the last add. */
    public int listsSinceChange;
    /** Size of every member's database. */
    public long databaseBytes = 1 << 20;

    private static final class Server {
        private MemberId id;
        private final List<URI> peerUrls;
        private String name = "";
        private boolean learner;
        private boolean up;
        private long applied;
        private EtcdVersion version;

        private Server(MemberId id, List<URI> peerUrls, boolean learner, EtcdVersion version) {
            this.id = id;
            this.peerUrls = peerUrls;
            this.learner = learner;
            this.version = version;
        }

        private Member member() {
            List<URI> clients =
                    name.isEmpty() ? List.of() : List.of(URI.create("https://" + name + ":2379"));
            return new Member(id, name, peerUrls, clients, learner);
        }
    }

    private static final int SNAPSHOT_BYTES = 4 * SnapshotBytes.PAGE + 32;

    private final List<Server> servers = new ArrayList<>();
    private final Deque<Fault> faults = new ArrayDeque<>();
    private final Set<Alarm> raised = new LinkedHashSet<>();
    private final Map<MemberId, long[]> databases = new HashMap<>();
    private final Map<MemberId, Integer> busy = new HashMap<>();
    private OptionalLong compactedBytes = OptionalLong.empty();
    private OptionalLong quota = OptionalLong.empty();
    private long compacted;
    private Runnable afterDefragmentation = () -> {};
    private final Set<MemberId> removed = new HashSet<>();
    private final Set<MemberId> silent = new HashSet<>();
    private final Map<MemberId, List<Member>> outdated = new HashMap<>();
    private final Map<MemberId, MemberId> astray = new HashMap<>();
    private final List<Runnable> late = new ArrayList<>();
    private final List<String> changes = new ArrayList<>();
    private final List<MemberId> askedHastily = new ArrayList<>();
    private MemberId leader = MemberId.NONE;
    private String clusterId = "c1";
    private long nextId = 0xa001;
    private long term = 2;
    private long commit = 100;
    private final Set<MemberId> diverged = new HashSet<>();
    private int maxLearners = 1;
    private Optional<EtcdVersion> storage = Optional.empty();
    private boolean downgrading;
    private Optional<EtcdVersion> downgradeTarget = Optional.empty();
    private int unreadableLists;
    private int unreadableListsAfterChange;
    private int snapshotBytes = SNAPSHOT_BYTES;
    private String local = "";
    private Runnable beforeList = () -> {};
    private Supplier<EtcdCallException> listRefusal;
    private int unreadableStatuses;

    /** A cluster of running voters named {@code cp-1}, {@code cp-2} … */
    public static SimulatedCluster ofVoters(int voters) {
        return ofVoters(voters, "3.5.30");
    }

    public static SimulatedCluster ofVoters(int voters, String version) {
        var cluster = new SimulatedCluster();
        for (int i = 1; i <= voters; i++) {
            Server server =
                    cluster.append(List.of(peerUrl("cp-" + i)), false, EtcdVersion.parse(version));
            cluster.start(server.id, "cp-" + i);
        }
        cluster.elect();
        return cluster;
    }

    public static URI peerUrl(String name) {
        return URI.create("https://" + name + ":2380");
    }

    private Server append(List<URI> peerUrls, boolean learner, EtcdVersion version) {
        Server server = new Server(new MemberId(nextId++), peerUrls, learner, version);
        servers.add(server);
        return server;
    }

    // ---- what the test does to the cluster

    public synchronized SimulatedCluster next(Fault... next) {
        faults.addAll(List.of(next));
        return this;
    }

    /** The next so many member lists fail as by a broken connection. */
    public synchronized void failLists(int count) {
        unreadableLists = count;
    }

    /** From now on every member list is refused with that. */
    public synchronized void refuseLists(RpcCode code, String text) {
        listRefusal = () -> refused(RpcKind.READ, code, text);
    }

    /** The leader does not tell its status so many times. */
    public synchronized void failStatuses(int count) {
        unreadableStatuses = count;
    }

    /** As {@link #failLists}, beginning when the next change has been asked for. */
    public synchronized void failListsAfterNextChange(int count) {
        unreadableListsAfterChange = count;
    }

    /** Puts an entry there as somebody else would, without any of etcd's tests. */
    public synchronized MemberId plant(URI peerUrl, boolean learner) {
        return append(List.of(peerUrl), learner, servers.getFirst().version).id;
    }

    /** As {@link #plant(URI, boolean)}, with an ID of the caller's choice. */
    public synchronized void plant(MemberId id, URI peerUrl, boolean learner) {
        servers.add(new Server(id, List.of(peerUrl), learner, servers.getFirst().version));
    }

    /** The member's process starts, publishes its name and is level with the leader. */
    public synchronized void start(MemberId id, String name) {
        Server server = server(id);
        server.name = name;
        server.up = true;
        server.applied = commit;
        elect();
    }

    /** The member has other data from now on: with these IDs, at that revision. */
    public synchronized void serves(String name, MemberIds ids, long revision) {
        Server server = server(id(name));
        leader = leader.equals(server.id) ? ids.memberId() : leader;
        server.id = ids.memberId();
        clusterId = ids.clusterId();
        commit = revision;
        server.applied = revision;
    }

    /** The member runs and does not answer whoever asks here. */
    public synchronized void silent(MemberId id) {
        silent.add(id);
    }

    /** The member of that name runs on the machine that asks, and answers on its loopback. */
    public synchronized void local(String name) {
        local = name;
    }

    /** Whoever asks that member meets the other one. */
    public synchronized void astray(MemberId id, MemberId other) {
        astray.put(id, other);
    }

    /** Happens whenever the list is asked for, such as that time passes. */
    public synchronized void beforeList(Runnable happening) {
        beforeList = happening;
    }

    public synchronized void stop(MemberId id) {
        server(id).up = false;
        elect();
    }

    public synchronized void lag(MemberId id, long entries) {
        server(id).applied = commit - entries;
    }

    /**
     * The cluster goes on writing; every running member follows but the ones that lag already stay
     * where they are.
     */
    public synchronized void write(long entries) {
        for (Server server : servers) {
            if (server.up && server.applied == commit) {
                server.applied += entries;
            }
        }
        commit += entries;
    }

    public synchronized void version(MemberId id, String version) {
        server(id).version = EtcdVersion.parse(version);
        if (downgradeTarget.isPresent()
                && servers.stream()
                        .allMatch(server ->
                                server.version.minor() <= downgradeTarget.get().minor())) {
            endDowngrade();
        }
    }

    /** What every member tells of its data's version; empty text for nothing. */
    public synchronized void storage(String version) {
        storage = Optional.of(version).filter(text -> !text.isEmpty()).map(EtcdVersion::parse);
    }

    public synchronized void alarm(String kind) {
        servers.forEach(server -> alarm(server.id, kind));
    }

    /** That member raises an alarm, which every member reports. */
    public synchronized void alarm(MemberId id, String kind) {
        raised.add(new Alarm(id, kind));
    }

    /** The database of a member is as large as that, and so much of it is in use. */
    public synchronized void database(MemberId id, long size, long inUse) {
        databases.put(id, new long[] {size, inUse});
    }

    /** A compaction leaves so much in use from now on. */
    public synchronized void compactsTo(long bytes) {
        compactedBytes = OptionalLong.of(bytes);
    }

    /** Every member tells that its database may be no larger. */
    public synchronized void quota(long bytes) {
        quota = OptionalLong.of(bytes);
    }

    /** The member tells its status, and does not serve, so many times. */
    public synchronized void busy(MemberId id, int times) {
        busy.put(id, times);
    }

    /** Happens when a member has been defragmented. */
    public synchronized void afterDefragmentation(Runnable happening) {
        afterDefragmentation = happening;
    }

    /** Another voter leads. */
    public synchronized void leadBy(MemberId id) {
        leader = id;
        term++;
    }

    /** The member goes on remembering the list as it is now, as one whose disk lost a removal. */
    public synchronized void freezeList(MemberId id) {
        outdated.put(id, servers.stream().map(Server::member).toList());
    }

    public synchronized void downgrade() {
        downgrading = true;
    }

    public synchronized void maxLearners(int limit) {
        maxLearners = limit;
    }

    /** Snapshots end after so many bytes from now on. */
    public synchronized void cutSnapshots(int bytes) {
        snapshotBytes = bytes;
    }

    /** Another actor promotes or removes, outside of any adder. */
    public synchronized void promoteByOther(MemberId id) {
        server(id).learner = false;
        elect();
    }

    public synchronized void removeByOther(MemberId id) {
        drop(id);
    }

    /** Time enough passes for every late proposal to be applied. */
    public synchronized void tick() {
        late.forEach(Runnable::run);
        late.clear();
        elect();
    }

    // ---- what the test sees

    /** Whether a write would be acknowledged now. */
    public synchronized boolean writable() {
        return !leader.isNone();
    }

    /** Every change that reached a server, in order: "addLearner https://…", "promote a004" … */
    public synchronized List<String> changes() {
        return List.copyOf(changes);
    }

    public synchronized MemberId leader() {
        return leader;
    }

    public synchronized MemberId id(String name) {
        return servers.stream()
                .filter(server -> server.name.equals(name))
                .findFirst()
                .orElseThrow()
                .id;
    }

    // ---- the port

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
        return servers.stream().map(Server::member).toList();
    }

    @Override
    public synchronized List<Member> membersKnownTo(URI clientUrl) {
        Server asked = servers.stream()
                .filter(server -> server.up && serves(server, clientUrl))
                .findFirst()
                .orElseThrow(
                        () -> refused(RpcKind.READ, RpcCode.UNAVAILABLE, "Connection refused"));
        if (asked.learner) {
            throw refused(RpcKind.READ, RpcCode.UNAVAILABLE, EtcdErrors.RPC_AT_LEARNER);
        }
        return outdated.getOrDefault(
                asked.id, servers.stream().map(Server::member).toList());
    }

    @Override
    public Map<Member, StatusAnswer> statuses(Collection<Member> members, MemberId starting) {
        askedHastily.add(starting);
        return statuses(members);
    }

    /** Of whom no answer was waited for, look by look. */
    public List<MemberId> askedHastily() {
        return askedHastily;
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

    private boolean serves(Server server, URI clientUrl) {
        return server.member().clientUrls().contains(clientUrl)
                || clientUrl.getHost().equals("127.0.0.1") && server.name.equals(local);
    }

    private MemberStatus status(Server server) {
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
                versions(server),
                new MemberStatus.Database(
                        database == null ? databaseBytes : database[0],
                        database == null ? OptionalLong.empty() : OptionalLong.of(database[1]),
                        quota),
                new MemberStatus.Raft(term, commit, server.applied),
                server.learner,
                problems);
    }

    /** A member that has gone down tells neither. */
    private MemberStatus.Versions versions(Server server) {
        boolean gone = downgradeTarget
                .filter(target -> server.version.minor() <= target.minor())
                .isPresent();
        return gone
                ? MemberStatus.Versions.of(server.version)
                : new MemberStatus.Versions(server.version, storage, downgrading, downgradeTarget);
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
        Fault fault = refuseBefore();
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
        Fault fault = refuseBefore();
        Server server = servers.stream()
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
        Fault fault = refuseBefore();
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
        EtcdVersion lowest = clusterVersion();
        if (lowest.minor() - target.minor() != 1) {
            throw refused(RpcKind.READ, RpcCode.INVALID_ARGUMENT, EtcdErrors.NO_SUCH_DOWNGRADE);
        }
        if (downgrading) {
            throw refused(
                    RpcKind.READ, RpcCode.FAILED_PRECONDITION, EtcdErrors.DOWNGRADE_UNDER_WAY);
        }
        return lowest;
    }

    /** That of the data, if a member of 3.6 has said it; else the lowest minor of all. */
    private EtcdVersion clusterVersion() {
        EtcdVersion lowest = servers.stream()
                .map(server -> server.version)
                .min(EtcdVersion::compareTo)
                .orElseThrow();
        return storage.orElse(new EtcdVersion(lowest.major(), lowest.minor(), 0));
    }

    @Override
    public synchronized void enableDowngrade(EtcdVersion target) {
        changes.add("enableDowngrade %d.%d".formatted(target.major(), target.minor()));
        validateDowngrade(target);
        downgrading = true;
        storage = Optional.of(new EtcdVersion(target.major(), target.minor(), 0));
        downgradeTarget = storage;
    }

    @Override
    public synchronized void cancelDowngrade() {
        changes.add("cancelDowngrade");
        requireLeader(RpcKind.CHANGE);
        if (downgrading) {
            endDowngrade();
        }
    }

    private void endDowngrade() {
        downgrading = false;
        downgradeTarget = Optional.empty();
        storage = Optional.empty();
        storage = Optional.of(clusterVersion()).filter(version -> version.atLeast(3, 6));
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

    /** From now on a member holds something else. */
    public synchronized void diverge(MemberId member) {
        diverged.add(member);
    }

    @Override
    public void close() {}

    // ---- inside

    private Fault refuseBefore() {
        unreadableLists += unreadableListsAfterChange;
        unreadableListsAfterChange = 0;
        Fault fault = faults.poll();
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

    private void apply(Fault fault, Runnable change) {
        if (fault == Fault.APPLIED_LATE) {
            late.add(change);
            throw refused(RpcKind.CHANGE, RpcCode.UNAVAILABLE, EtcdErrors.TIMED_OUT);
        }
        change.run();
        commit++;
        servers.stream()
                .filter(server -> server.up && server.applied == commit - 1)
                .forEach(server -> server.applied++);
        elect();
        if (fault == Fault.REPLY_LOST) {
            throw refused(RpcKind.CHANGE, RpcCode.DEADLINE_EXCEEDED, "deadline exceeded");
        }
    }

    private void drop(MemberId id) {
        servers.removeIf(server -> server.id.equals(id));
        removed.add(id);
        elect();
    }

    private void elect() {
        List<Server> voters = servers.stream().filter(server -> !server.learner).toList();
        List<Server> running = voters.stream().filter(server -> server.up).toList();
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

    private Server server(MemberId id) {
        return servers.stream()
                .filter(server -> server.id.equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static EtcdCallException refused(RpcKind kind, RpcCode code, String text) {
        return EtcdCallException.refused(kind, code, text, "simulated call");
    }
}
