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
    private static final long STABLE = 5_000;

    /** What kind of change was asked for. */
    public enum Asked {
        ADD,
        PROMOTE,
        REMOVE
    }

    /** A change that was asked for and is not applied yet. */
    private static final class Pending {
        private final Runnable change;
        private final Machine machine;
        private final Asked asked;
        private final long due;
        private boolean gone;

        private Pending(Runnable change, Machine machine, Asked asked, long due) {
            this.change = change;
            this.machine = machine;
            this.asked = asked;
            this.due = due;
        }
    }

    private final String cluster;
    private final VirtualWorld world;
    private final EtcdVersion version;
    private final int maxLearners;
    private final Random random;
    private final List<Machine> machines;
    public final List<ModelServer> servers = new ArrayList<>();
    private final Set<MemberId> removed = new HashSet<>();
    private Optional<Pending> pending = Optional.empty();
    private Optional<ModelServer> leader = Optional.empty();
    private long electionAt;
    private long term = 2;
    private long commit;
    private long acknowledged;
    /** Only major and minor count. */
    private EtcdVersion clusterVersion;

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
        up(machine);
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
        machines.forEach(this::kubelet);
        publish();
        raiseClusterVersion();
        pending.filter(change -> !change.gone && change.due <= world.now() && serving())
                .ifPresent(this::settle);
    }

    // asked very often, hence loops
    private List<ModelServer> voters() {
        var voters = new ArrayList<ModelServer>(servers.size());
        for (ModelServer server : servers) {
            if (!server.learner) {
                voters.add(server);
            }
        }
        return voters;
    }

    private int quorum() {
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
        first.lastIndex += random.nextInt(20);
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

    private void lead(ModelServer elected) {
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
        // what the former leader had sent out may survive it
        pending.filter(change -> !change.gone && random.nextBoolean())
                .ifPresentOrElse(
                        change -> apply(change.change),
                        () -> pending = pending.filter(
                                change -> change.due > world.now() && change.due < Long.MAX_VALUE));
    }

    /**
     * The leader is gone with the change in its log; whether the change survives shows with the
     * next leader.
     */
    public void abdicate(Machine machine, Asked asked, Runnable change) {
        leader = Optional.empty();
        electionAt = 0;
        proposeLate(machine, asked, change, Long.MAX_VALUE);
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

    /**
     * Starts what has a manifest, as etcd starts. Without a kubelet what runs
     * goes on running.
     */
    private void kubelet(Machine machine) {
        if (machine.kubelet) {
            machine.kubeletLooks(world.now());
        }
        boolean stops = machine.stopped || machine.manifest.isEmpty() && machine.kubelet;
        if (stops) {
            machine.down(world.now());
            return;
        }
        if (machine.up && machine.kubelet && machine.outdated()) {
            machine.down(world.now());
            machine.nextStart = world.now() + 1_000 + random.nextInt(4_000);
            return;
        }
        if (machine.up) {
            boolean out = machine.data.isEmpty()
                    || machine.reachable && serving() && removed.contains(machine.data.get());
            if (out) {
                machine.down(world.now());
            } else if (machine.reachable && serving()) {
                machine.remembered = members();
            }
            return;
        }
        if (!machine.kubelet || machine.manifest.isEmpty() || machine.nextStart > world.now()) {
            return;
        }
        machine.nextStart = world.now() + 10_000;
        if (!starts(machine)) {
            return;
        }
        if (machine.data.isEmpty()) {
            firstStart(machine);
        } else if (servers.stream().anyMatch(server -> server.id.equals(machine.data.get()))
                || !machine.reachable) {
            up(machine);
        }
    }

    private void firstStart(Machine machine) {
        Optional<ModelServer> own = servers.stream()
                .filter(server -> server.peerUrl.equals(machine.peerUrl))
                .findFirst();
        Set<URI> now = servers.stream().map(server -> server.peerUrl).collect(Collectors.toSet());
        boolean peersAnswer =
                machine.reachable && servers.stream().anyMatch(server -> server.answers());
        // a voter that has forgotten what it promised panics as soon as it hears the leader
        boolean forgot =
                own.isPresent() && !own.get().learner && !own.get().name.isEmpty();
        if (own.isEmpty() || !peersAnswer || forgot || !machine.manifest.get().equals(now)) {
            return;
        }
        machine.born(own.get().id);
        up(machine);
    }

    private void up(Machine machine) {
        machine.up = true;
        machine.version = wanted(machine);
        machine.connectedSince = world.now();
        machine.started(world.now());
    }

    private EtcdVersion wanted(Machine machine) {
        return machine.image.orElse(version);
    }

    /** An etcd that is older than the cluster, or newer by more than a minor, ends at once. */
    private boolean starts(Machine machine) {
        int step = wanted(machine).minor() - clusterVersion.minor();
        boolean fits = step == 0 || step == 1;
        if (!fits) {
            machine.doesNotFit();
        }
        return fits && !machine.broken.contains(wanted(machine));
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

    private List<Member> members() {
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

    /** Whether a change of any kind may still come, whoever asked for it. */
    public boolean changePending() {
        return pending.isPresent();
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
                List.of());
    }

    private MemberStatus.Versions versions(EtcdVersion program) {
        return new MemberStatus.Versions(
                program, Optional.of(clusterVersion).filter(it -> program.atLeast(3, 6)), false);
    }

    private void requireLeader(Machine client, RpcKind kind) {
        if (!serving() || !client.reachable) {
            throw refused(
                    kind,
                    RpcCode.UNAVAILABLE,
                    client.reachable ? EtcdErrors.NO_LEADER : "io exception");
        }
    }

    /** The tests of an add, then the change itself as something that can be applied at any time. */
    public Runnable add(Machine client, URI url, boolean learner) {
        requireLeader(client, RpcKind.CHANGE);
        strictCheckOfAdd(learner);
        MemberId id = MemberAddTime.id(List.of(url), world.instant());
        return () -> {
            if (removed.contains(id) || servers.stream().anyMatch(server -> server.id.equals(id))) {
                throw refused(
                        RpcKind.CHANGE,
                        RpcCode.FAILED_PRECONDITION,
                        "etcdserver: member ID already exist");
            }
            if (servers.stream().anyMatch(server -> server.peerUrl.equals(url))) {
                throw refused(
                        RpcKind.CHANGE, RpcCode.FAILED_PRECONDITION, EtcdErrors.PEER_URL_EXISTS);
            }
            if (learner
                    && servers.stream().filter(server -> server.learner).count() >= maxLearners) {
                throw refused(
                        RpcKind.CHANGE, RpcCode.FAILED_PRECONDITION, EtcdErrors.TOO_MANY_LEARNERS);
            }
            ModelServer added = new ModelServer(
                    id,
                    url,
                    machines.stream()
                            .filter(machine -> machine.peerUrl.equals(url))
                            .findFirst(),
                    learner);
            added.addedAt = world.now();
            servers.add(added);
        };
    }

    private void strictCheckOfAdd(boolean learner) {
        int voters = voters().size();
        if (!learner && voters > 1 && started() < new Quorum(voters + 1).size()) {
            throw refused(RpcKind.CHANGE, RpcCode.UNKNOWN, EtcdErrors.NOT_ENOUGH_STARTED);
        }
        EtcdVersion leading = leader.orElseThrow().machine.orElseThrow().version;
        int needed = leading.addsWithSilentVoter() ? new Quorum(voters + 1).size() : voters;
        if (voters > 1 && connected() < needed) {
            throw refused(RpcKind.CHANGE, RpcCode.UNAVAILABLE, EtcdErrors.UNHEALTHY);
        }
    }

    private long started() {
        return voters().stream().filter(server -> !server.name.isEmpty()).count();
    }

    private long connected() {
        return voters().stream()
                .filter(ModelServer::answers)
                .filter(server -> server == leader.orElseThrow()
                        || world.now() - server.machine.orElseThrow().connectedSince >= STABLE)
                .count();
    }

    public Runnable promote(Machine client, MemberId id) {
        requireLeader(client, RpcKind.CHANGE);
        ModelServer server = find(id);
        if (!server.learner) {
            throw refused(RpcKind.CHANGE, RpcCode.FAILED_PRECONDITION, EtcdErrors.NOT_A_LEARNER);
        }
        if (started() + 1 < new Quorum(voters().size() + 1).size()) {
            throw refused(RpcKind.CHANGE, RpcCode.UNKNOWN, EtcdErrors.NOT_ENOUGH_STARTED);
        }
        if (server.lastIndex() * 10 < leader.orElseThrow().lastIndex() * 9) {
            throw refused(
                    RpcKind.CHANGE, RpcCode.FAILED_PRECONDITION, EtcdErrors.LEARNER_NOT_READY);
        }
        return () -> {
            ModelServer then = find(id);
            if (!then.learner) {
                throw refused(
                        RpcKind.CHANGE, RpcCode.FAILED_PRECONDITION, EtcdErrors.NOT_A_LEARNER);
            }
            then.learner = false;
            then.promotedAt = commit;
            then.votesSince = world.now();
        };
    }

    public Runnable remove(Machine client, MemberId id) {
        requireLeader(client, RpcKind.CHANGE);
        ModelServer server = find(id);
        int voters = voters().size();
        if (!server.learner) {
            long startedAfter = started() - (server.name.isEmpty() ? 0 : 1);
            if (startedAfter < new Quorum(voters - 1).size()) {
                throw refused(RpcKind.CHANGE, RpcCode.UNKNOWN, EtcdErrors.NOT_ENOUGH_STARTED);
            }
            long active = voters().stream().filter(ModelServer::answers).count();
            if (server.answers() && active - 1 < 1 + (voters - 1) / 2) {
                throw refused(RpcKind.CHANGE, RpcCode.UNAVAILABLE, EtcdErrors.UNHEALTHY);
            }
        }
        return () -> {
            servers.remove(find(id));
            removed.add(id);
        };
    }

    public void moveLeader(Machine client, MemberId from, MemberId to) {
        requireLeader(client, RpcKind.CHANGE);
        if (!leader.orElseThrow().id.equals(from)) {
            throw refused(RpcKind.READ, RpcCode.UNAVAILABLE, EtcdErrors.LEADER_CHANGED);
        }
        ModelServer target = find(to);
        if (target.learner || !target.answers()) {
            throw refused(
                    RpcKind.CHANGE,
                    RpcCode.FAILED_PRECONDITION,
                    "etcdserver: bad leader transferee");
        }
        if (target.lastIndex() < leader.get().lastIndex()) {
            throw refused(
                    RpcKind.CHANGE,
                    RpcCode.UNKNOWN,
                    "etcdserver: request timed out, leader transfer took too long");
        }
        lead(target);
    }

    private ModelServer find(MemberId id) {
        return servers.stream()
                .filter(server -> server.id.equals(id))
                .findFirst()
                .orElseThrow(() ->
                        refused(RpcKind.CHANGE, RpcCode.NOT_FOUND, EtcdErrors.MEMBER_NOT_FOUND));
    }

    /**
     * Applies a change at once. Only one may be under way: a second is dropped, and its caller
     * hears nothing.
     */
    public void propose(Runnable change) {
        if (pending.isPresent() || !commits()) {
            throw refused(RpcKind.CHANGE, RpcCode.UNAVAILABLE, EtcdErrors.TIMED_OUT);
        }
        change.run();
    }

    /** Whether a majority of the voters keeps up, so that something new is committed. */
    private boolean commits() {
        long upToDate = voters().stream()
                .filter(server -> server.answers()
                        && (leader.filter(server::equals).isPresent()
                                || !server.machine.orElseThrow().lagging
                                        && server.lastIndex() >= acknowledged))
                .count();
        return upToDate >= quorum();
    }

    /** Applies a change later; {@code Long.MAX_VALUE}: not before the next election. */
    public void proposeLate(Machine machine, Asked asked, Runnable change, long due) {
        if (pending.isEmpty()) {
            var late = new Pending(change, machine, asked, due);
            pending = Optional.of(late);
            if (due < Long.MAX_VALUE) {
                // the server's limit: what is not applied under this leader by then needs another
                // leader
                world.in(due - world.now(), () -> {
                    if (!late.gone
                            && serving()
                            && pending.filter(it -> it == late).isPresent()) {
                        settle(late);
                    }
                });
            }
        }
    }

    /** It is committed now, or never will be. */
    private void settle(Pending late) {
        if (commits()) {
            apply(late.change);
        } else {
            late.gone = true;
            pending = Optional.empty();
        }
    }

    private void apply(Runnable change) {
        pending.ifPresent(it -> it.gone = true);
        pending = Optional.empty();
        try {
            change.run();
        } catch (EtcdCallException refused) {
            // nobody waits for the answer any more
        }
    }

    /** Whether a change asked for from that machine may still come. */
    public boolean mayStillCome(Machine machine, Asked asked) {
        return pending.filter(change -> change.machine == machine && change.asked == asked)
                .isPresent();
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
