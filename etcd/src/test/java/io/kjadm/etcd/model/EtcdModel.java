package io.kjadm.etcd.model;

import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdErrors;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Quorum;
import io.kjadm.etcd.RpcCode;
import io.kjadm.etcd.RpcKind;
import io.kjadm.etcd.join.MemberAddTime;

import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A model of etcd's membership: raft's indexes and elections by the second, configuration changes
 * one at a time, and the refusals of the strict reconfiguration check.
 */
public final class EtcdModel {

    public static final String CLUSTER = "c1";

    private final String cluster;
    final VirtualWorld world;
    final EtcdVersion version;
    final int maxLearners;
    final Random random;
    final List<Machine> machines;
    public final List<ModelServer> servers = new ArrayList<>();
    public final ModelChanges changes = new ModelChanges(this);
    private final Kubelets kubelets = new Kubelets(this);
    final Set<MemberId> removed = new HashSet<>();
    Optional<ModelServer> leader = Optional.empty();
    private long electionAt;
    private long term = 2;
    long commit;
    long acknowledged;
    /** Who has raised NOSPACE. */
    public Optional<MemberId> alarm = Optional.empty();
    /** Only major and minor count. */
    EtcdVersion clusterVersion;

    public EtcdModel(
            VirtualWorld world,
            EtcdVersion version,
            int maxLearners,
            Random random,
            List<? extends Machine> machines) {
        this(CLUSTER, world, version, maxLearners, random, List.copyOf(machines));
    }

    /**
     * Of the cluster with that ID.
     *
     * @param machines that may run its members; more may come
     */
    public EtcdModel(
            String cluster,
            VirtualWorld world,
            EtcdVersion version,
            int maxLearners,
            Random random,
            List<Machine> machines) {
        this.cluster = cluster;
        this.world = world;
        this.version = version;
        this.clusterVersion = version;
        this.maxLearners = maxLearners;
        this.random = random;
        this.machines = machines;
    }

    /** Its ID. */
    public String cluster() {
        return cluster;
    }

    // ---- the beginning

    public void found(List<? extends Machine> voters, long index) {
        commit = index;
        acknowledged = index;
        for (Machine machine : voters) {
            ModelServer server = new ModelServer(
                    MemberAddTime.id(
                            List.of(machine.peerUrl),
                            world.instant().minusSeconds(9_000 + machine.number)),
                    machine.peerUrl,
                    Optional.of(machine),
                    false);
            server.name = machine.name;
            machine.born(server.id);
            machine.lastIndex = index;
            machine.up = true;
            machine.version = version;
            machine.connectedSince = -60_000;
            servers.add(server);
        }
        Set<URI> urls = servers.stream().map(server -> server.peerUrl).collect(Collectors.toSet());
        voters.forEach(machine -> machine.manifest = Optional.of(urls));
        voters.forEach(machine -> machine.remembered = members());
        leader = Optional.of(servers.get(random.nextInt(servers.size())));
    }

    /** The only initial member starts for the first time, with the ID that follows from its token. */
    public void foundAlone(Machine machine, MemberId id) {
        foundAlone(machine, id, 10);
    }

    /** The same with data up to an index. */
    public void foundAlone(Machine machine, MemberId id, long index) {
        ModelServer server = new ModelServer(id, machine.peerUrl, Optional.of(machine), false);
        server.name = machine.name;
        machine.born(id);
        commit = index;
        acknowledged = commit;
        machine.lastIndex = commit;
        servers.add(server);
        kubelets.up(machine);
        machine.remembered = members();
        leader = Optional.of(server);
    }

    /** Up to which index clients were told that they have written. */
    public long acknowledged() {
        return acknowledged;
    }

    /** Whether so many voters run that they could agree, be they reached or not. */
    public boolean couldAgree() {
        int voters = 0;
        int running = 0;
        for (ModelServer server : servers) {
            voters += server.learner ? 0 : 1;
            boolean runs = !server.learner && server.holdsData() && server.machine.orElseThrow().up;
            running += runs ? 1 : 0;
        }
        return voters > 0 && running >= new Quorum(voters).size();
    }

    public void haunt(URI url) {
        MemberId id = MemberAddTime.id(List.of(url), world.instant().minusSeconds(3_000));
        var ghost = new ModelServer(id, url, Optional.empty(), true);
        ghost.addedAt = -3_000_000;
        servers.add(ghost);
    }

    // ---- a second of the world

    public void second() {
        replicate();
        elect();
        machines.forEach(kubelets::look);
        publish();
        raiseClusterVersion();
        changes.second();
    }

    // asked very often, hence loops
    List<ModelServer> voters() {
        var voters = new ArrayList<ModelServer>(servers.size());
        for (ModelServer server : servers) {
            if (!server.learner) {
                voters.add(server);
            }
        }
        return voters;
    }

    int quorum() {
        return new Quorum(voters().size()).size();
    }

    /** Whether there is a leader that a majority of the voters hears. */
    public boolean serving() {
        if (leader.isEmpty() || !leader.get().answers() || !servers.contains(leader.get())) {
            return false;
        }
        int voters = 0;
        int answering = 0;
        for (ModelServer server : servers) {
            voters += server.learner ? 0 : 1;
            answering += !server.learner && server.answers() ? 1 : 0;
        }
        return answering > voters / 2;
    }

    private void replicate() {
        if (!serving()) {
            return;
        }
        Machine first = leader.orElseThrow().machine.orElseThrow();
        first.lastIndex += alarm.isPresent() ? 0 : random.nextInt(20);
        for (ModelServer server : servers) {
            if (server.answers() && !server.machine.get().lagging) {
                Machine machine = server.machine.get();
                machine.lastIndex = Math.min(first.lastIndex, machine.lastIndex + machine.pace);
            }
        }
        List<ModelServer> voters = voters();
        voters.sort(Comparator.comparingLong(ModelServer::lastIndex).reversed());
        commit = Math.max(commit, voters.get(voters.size() / 2).lastIndex());
        acknowledged = commit;
    }

    private void elect() {
        if (serving()) {
            electionAt = 0;
            return;
        }
        leader = Optional.empty();
        if (electionAt == 0) {
            electionAt = world.now() + 1_000 + random.nextInt(1_500);
        }
        if (electionAt > world.now()) {
            return;
        }
        List<ModelServer> running =
                voters().stream().filter(ModelServer::answers).toList();
        List<ModelServer> electable = running.stream()
                .filter(candidate -> running.stream()
                                .filter(voter -> voter.lastIndex() <= candidate.lastIndex())
                                .count()
                        >= quorum())
                .toList();
        if (electable.isEmpty()) {
            return;
        }
        lead(electable.get(random.nextInt(electable.size())));
    }

    void lead(ModelServer elected) {
        if (elected.lastIndex() < acknowledged) {
            throw new Violation(
                    "an acknowledged write is lost: %d was acknowledged, the new leader %s has %d"
                            .formatted(
                                    acknowledged,
                                    elected.member().describe(),
                                    elected.lastIndex()));
        }
        leader = Optional.of(elected);
        term++;
        electionAt = 0;
        machines.forEach(
                machine -> machine.lastIndex = Math.min(machine.lastIndex, elected.lastIndex()));
        changes.elected();
    }

    /**
     * The leader is gone with the change in its log; whether the change survives shows with the
     * next leader.
     */
    public void abdicate(Machine machine, ModelChanges.Asked asked, Runnable change) {
        leader = Optional.empty();
        electionAt = 0;
        changes.proposeLate(machine, asked, change, Long.MAX_VALUE);
    }

    /** Another voter is elected, if one may. */
    public void election() {
        if (serving()) {
            ModelServer former = leader.orElseThrow();
            List<ModelServer> others = voters().stream()
                    .filter(server -> server != former
                            && server.answers()
                            && server.lastIndex() >= former.lastIndex())
                    .toList();
            if (!others.isEmpty()) {
                lead(others.get(random.nextInt(others.size())));
            }
        }
    }

    /** The leader does it, when it has heard that every member has a higher minor. */
    private void raiseClusterVersion() {
        if (!serving()) {
            return;
        }
        for (ModelServer server : servers) {
            if (!server.answers()) {
                return;
            }
        }
        servers.stream()
                .map(server -> server.machine.orElseThrow().version)
                .min(Comparator.naturalOrder())
                .filter(lowest -> lowest.minor() > clusterVersion.minor())
                .ifPresent(lowest -> clusterVersion = lowest);
    }

    private void publish() {
        if (!serving()) {
            return;
        }
        for (ModelServer server : servers) {
            if (server.name.isEmpty()
                    && server.answers()
                    && server.lastIndex() > 0
                    && random.nextInt(4) > 0) {
                server.name = server.machine.orElseThrow().name;
            }
        }
    }

    public void reconnect(Machine machine) {
        machine.reachable = true;
        machine.connectedSince = world.now();
    }

    // ---- what clients ask

    /** Whether that machine reaches that member. */
    public boolean reaches(Machine client, ModelServer server) {
        return server.answers() && (client.reachable || server.machine.orElseThrow() == client);
    }

    /** The list that is agreed upon. */
    public List<Member> list(Machine client) {
        requireLeader(client, RpcKind.READ);
        return members();
    }

    List<Member> members() {
        List<Member> members = new ArrayList<>(servers.size());
        for (ModelServer server : servers) {
            members.add(server.member());
        }
        return members;
    }

    /** What that machine's etcd remembers of the members. */
    public List<Member> listKnownTo(Machine client, Machine asked) {
        boolean heard = asked.up && (asked == client || asked.reachable && client.reachable);
        if (!heard) {
            throw refused(RpcKind.READ, RpcCode.UNAVAILABLE, "Connection refused");
        }
        if (serverOf(asked).filter(server -> server.learner).isPresent()) {
            throw refused(RpcKind.READ, RpcCode.UNAVAILABLE, EtcdErrors.RPC_AT_LEARNER);
        }
        return asked.remembered;
    }

    /** The member that is listed and runs on that machine's data. */
    public Optional<ModelServer> serverOf(Machine machine) {
        return machine.data.flatMap(
                id -> servers.stream().filter(server -> server.id.equals(id)).findFirst());
    }

    /** A member that was removed long ago. */
    public void forget(MemberId id) {
        removed.add(id);
    }

    /** Its leader, if it has one that a majority of the voters hears. */
    public Optional<ModelServer> leader() {
        return serving() ? leader : Optional.empty();
    }

    /** The newest version that a member runs. */
    public Optional<EtcdVersion> newest() {
        return servers.stream()
                .flatMap(server -> server.machine.stream())
                .map(Machine::version)
                .filter(Objects::nonNull)
                .max(Comparator.naturalOrder());
    }

    /** What that member says of itself to a client on that machine. */
    public MemberStatus status(Machine client, MemberId id) {
        ModelServer server = servers.stream()
                .filter(it -> it.id.equals(id) && reaches(client, it))
                .findFirst()
                .orElseThrow(
                        () -> refused(RpcKind.READ, RpcCode.UNAVAILABLE, "Connection refused"));
        boolean knows = serving() && server.machine.orElseThrow().reachable;
        return new MemberStatus(
                id,
                cluster,
                knows ? leader.orElseThrow().id : MemberId.NONE,
                versions(server.machine.orElseThrow().version),
                1 << 20,
                term,
                Math.min(commit, server.lastIndex()),
                Math.min(commit, server.lastIndex()),
                server.learner || server.lastIndex() < server.promotedAt,
                alarm.map(by -> "memberID:%d alarm:NOSPACE ".formatted(by.value())).stream()
                        .toList());
    }

    private MemberStatus.Versions versions(EtcdVersion program) {
        return new MemberStatus.Versions(
                program, Optional.of(clusterVersion).filter(it -> program.atLeast(3, 6)), false);
    }

    void requireLeader(Machine client, RpcKind kind) {
        if (!serving() || !client.reachable) {
            throw refused(
                    kind,
                    RpcCode.UNAVAILABLE,
                    client.reachable ? EtcdErrors.NO_LEADER : "io exception");
        }
    }

    public long lag(ModelServer server) {
        return commit - Math.min(commit, server.lastIndex());
    }

    public void check() {
        int learners = 0;
        for (int i = 0; i < servers.size(); i++) {
            learners += servers.get(i).learner ? 1 : 0;
            for (int j = 0; j < i; j++) {
                if (servers.get(j).peerUrl.equals(servers.get(i).peerUrl)) {
                    throw new Violation("two members share a peer URL");
                }
            }
        }
        if (learners > maxLearners) {
            throw new Violation(learners + " learners, allowed are " + maxLearners);
        }
    }

    public String describe() {
        return servers.stream()
                .map(server -> server.member().describe())
                .collect(Collectors.joining("; "));
    }

    public static EtcdCallException refused(RpcKind kind, RpcCode code, String text) {
        return EtcdCallException.refused(kind, code, text, "simulated call");
    }
}
