package io.kjadm.etcd;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The membership of an etcd cluster in memory, in the hands of a test. Members are "processes" that
 * may be down or lag; faults are queued for the next change. Time passes only by {@link #tick}, which
 * applies what was proposed late.
 */
public final class SimulatedCluster extends SimulatedEtcd {

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

    /** A cluster of running voters named {@code cp-1}, {@code cp-2} … */
    public static SimulatedCluster ofVoters(int voters) {
        return ofVoters(voters, "3.5.30");
    }

    public static SimulatedCluster ofVoters(int voters, String version) {
        var cluster = new SimulatedCluster();
        for (int i = 1; i <= voters; i++) {
            SimulatedServer server =
                    cluster.append(List.of(peerUrl("cp-" + i)), false, EtcdVersion.parse(version));
            cluster.start(server.id, "cp-" + i);
        }
        cluster.elect();
        return cluster;
    }

    public static URI peerUrl(String name) {
        return URI.create("https://" + name + ":2380");
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
        servers.add(new SimulatedServer(id, List.of(peerUrl), learner, servers.getFirst().version));
    }

    /** The member's process starts, publishes its name and is level with the leader. */
    public synchronized void start(MemberId id, String name) {
        SimulatedServer server = server(id);
        server.name = name;
        server.up = true;
        server.applied = commit;
        elect();
    }

    /** The member has other data from now on: with these IDs, at that revision. */
    public synchronized void serves(String name, MemberIds ids, long revision) {
        SimulatedServer server = server(id(name));
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
        for (SimulatedServer server : servers) {
            if (server.up && server.applied == commit) {
                server.applied += entries;
            }
        }
        commit += entries;
    }

    public synchronized void version(MemberId id, String version) {
        server(id).version = EtcdVersion.parse(version);
        downgrade.changed();
    }

    /** What every member tells of its data's version; empty text for nothing. */
    public synchronized void storage(String version) {
        downgrade.storage(
                Optional.of(version).filter(text -> !text.isEmpty()).map(EtcdVersion::parse));
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
        outdated.put(id, servers.stream().map(SimulatedServer::member).toList());
    }

    public synchronized void downgrade() {
        downgrade.begin();
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

    /** From now on a member holds something else. */
    public synchronized void diverge(MemberId member) {
        diverged.add(member);
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

    /** Of whom no answer was waited for, look by look. */
    public List<MemberId> askedHastily() {
        return askedHastily;
    }
}
