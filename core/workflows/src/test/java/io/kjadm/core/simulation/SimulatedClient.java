package io.kjadm.core.simulation;

import io.kjadm.core.simulation.Mishap.Kind;
import io.kjadm.core.simulation.Oracle.Joins;
import io.kjadm.core.simulation.Oracle.Role;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdErrors;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.RpcCode;
import io.kjadm.etcd.RpcKind;
import io.kjadm.etcd.SnapshotBytes;
import io.kjadm.etcd.StatusAnswer;
import io.kjadm.etcd.model.EtcdModel;
import io.kjadm.etcd.model.ModelChanges;
import io.kjadm.etcd.model.ModelClient;
import io.kjadm.etcd.model.ModelServer;
import io.kjadm.etcd.model.VirtualWorld;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;

/** A program's connection to {@link EtcdModel}, through the client URLs that it knows. */
final class SimulatedClient extends ModelClient {

    private static final long SLOW = 6_000;
    /** A call to a machine that is not reached comes to its deadline. */
    private static final long STATUS_LIMIT = 3_000;

    private final Host host;
    private final Program program;
    private final Role role;
    private final Set<URI> known;
    private final Play play;

    /** What it is played on. */
    record Play(
            EtcdModel model,
            VirtualWorld world,
            Random random,
            Oracle oracle,
            Supplier<Boolean> slow) {}

    /** @param endpoints client URLs to begin with */
    SimulatedClient(Host host, Program program, Role role, Collection<URI> endpoints, Play play) {
        this.host = host;
        this.program = program;
        this.role = role;
        this.known = new HashSet<>(endpoints);
        this.play = play;
    }

    private void travel() {
        Random random = play.random();
        program.pass(
                play.slow().get()
                        ? SLOW
                        : random.nextInt(8) == 0 ? random.nextInt(800) : 1 + random.nextInt(10));
    }

    private <T> T read(Supplier<T> question) {
        program.point();
        requireNoSignal(RpcKind.READ);
        travel();
        return question.get();
    }

    private static void requireNoSignal(RpcKind kind) {
        if (Thread.currentThread().isInterrupted()) {
            throw EtcdModel.refused(kind, RpcCode.CANCELLED, "Thread interrupted");
        }
    }

    /** Somebody must answer who takes part in the cluster. */
    private void requireEndpoint(RpcKind kind) {
        boolean answered = play.model().servers.stream()
                .anyMatch(server ->
                        !server.learner && isKnown(server) && play.model().reaches(host, server));
        if (!answered) {
            throw EtcdModel.refused(
                    RpcKind.READ,
                    RpcCode.UNAVAILABLE,
                    kind == RpcKind.READ ? "Connection refused" : EtcdErrors.NO_LEADER);
        }
    }

    private boolean isKnown(ModelServer server) {
        return server.machine
                .filter(machine -> known.contains(machine.clientUrl)
                        || machine == host && known.stream().anyMatch(SimulatedClient::isLoopback))
                .isPresent();
    }

    private static boolean isLoopback(URI url) {
        return EtcdUrls.host(url).equals("127.0.0.1");
    }

    @Override
    public List<Member> members() {
        return read(() -> {
            requireEndpoint(RpcKind.READ);
            List<Member> members = play.model().list(host);
            members.forEach(member -> known.addAll(member.clientUrls()));
            return members;
        });
    }

    @Override
    public List<Member> membersKnownTo(URI clientUrl) {
        return read(() -> play.model()
                .listKnownTo(
                        host,
                        at(clientUrl)
                                .flatMap(server -> server.machine)
                                .orElseThrow(SimulatedClient::nobody)));
    }

    @Override
    public MemberStatus status(Member member) {
        return play.model().status(host, member.id());
    }

    @Override
    public Map<Member, StatusAnswer> statuses(Collection<Member> members) {
        Map<Member, StatusAnswer> all = read(() -> {
            Map<Member, StatusAnswer> answers = new LinkedHashMap<>();
            members.forEach(member -> answers.put(member, StatusAnswer.ask(this, member)));
            return answers;
        });
        boolean blackHole = play.model().servers.stream()
                        .anyMatch(server -> server.machine
                                .filter(machine -> machine != host && !machine.reachable)
                                .isPresent())
                || !host.reachable;
        if (blackHole) {
            program.pass(STATUS_LIMIT);
        }
        return all;
    }

    @Override
    public MemberStatus status(URI clientUrl) {
        return read(() ->
                play.model().status(host, at(clientUrl).orElseThrow(SimulatedClient::nobody).id));
    }

    /** Who serves there; on the loopback interface that is this machine's own. */
    private Optional<ModelServer> at(URI clientUrl) {
        return play.model().servers.stream()
                .filter(server -> server.machine
                        .filter(machine -> isLoopback(clientUrl)
                                ? machine == host
                                : machine.clientUrl.equals(clientUrl))
                        .isPresent())
                .findFirst();
    }

    private static EtcdCallException nobody() {
        return EtcdModel.refused(RpcKind.READ, RpcCode.UNAVAILABLE, "Connection refused");
    }

    @Override
    public void snapshot(URI clientUrl, OutputStream into) throws IOException {
        into.write(SnapshotBytes.ofRevisions(1));
    }

    private void change(ModelChanges.Asked asked, Supplier<Runnable> tested) {
        program.point();
        boolean signal = Thread.currentThread().isInterrupted();
        boolean sent = !signal || play.random().nextBoolean();
        travel();
        EtcdModel model = play.model();
        Optional<Mishap> mishap = program.steps().callMishap();
        Kind kind = mishap.map(Mishap::kind).orElse(null);
        long millis = mishap.map(Mishap::millis).orElse(0L);
        if (kind == Kind.REQUEST_LOST || !sent) {
            program.pass(millis);
            throw lost();
        }
        requireEndpoint(RpcKind.CHANGE);
        Runnable change = tested.get();
        Optional<Killed> inFlight = program.deathNow();
        if (inFlight.isPresent()) {
            model.changes.proposeLate(
                    host, asked, change, play.world().now() + play.random().nextInt(7_000));
        }
        program.die(inFlight);
        if (kind == Kind.APPLIED_LATE) {
            model.changes.proposeLate(host, asked, change, play.world().now() + millis);
            program.pass(millis % 2 * 7_000);
            throw lost();
        }
        if (kind == Kind.APPLIED_BY_NEXT_LEADER) {
            model.abdicate(host, asked, change);
            throw lost();
        }
        model.changes.propose(change);
        if (kind == Kind.REPLY_LOST) {
            program.pass(millis);
            throw lost();
        }
        if (signal) {
            throw lost();
        }
        travel();
        program.point();
    }

    private static EtcdCallException lost() {
        return EtcdModel.refused(RpcKind.CHANGE, RpcCode.DEADLINE_EXCEEDED, "deadline exceeded");
    }

    @Override
    public Member addLearner(List<URI> peerUrls) {
        URI peerUrl = peerUrls.getFirst();
        play.oracle().mayAdd(host);
        change(ModelChanges.Asked.ADD, () -> play.model().changes.add(host, peerUrl, true));
        return play.model().servers.stream()
                .filter(server -> server.peerUrl.equals(peerUrl))
                .findFirst()
                .map(ModelServer::member)
                // somebody was very quick to remove it
                .orElseThrow(SimulatedClient::lost);
    }

    @Override
    public Member addVoter(List<URI> peerUrls) {
        throw new UnsupportedOperationException("the gate is on");
    }

    @Override
    public void promote(MemberId learner) {
        play.oracle().mayPromote(host, (Joins) role, learner);
        change(ModelChanges.Asked.PROMOTE, () -> play.model().changes.promote(host, learner));
    }

    @Override
    public void remove(MemberId member) {
        play.oracle().maySendRemoval(host, role);
        change(ModelChanges.Asked.REMOVE, () -> {
            long sentAt = play.world().now();
            Runnable change = play.model().changes.remove(host, member);
            return () -> {
                play.oracle().mayRemove(host, role, member, sentAt);
                change.run();
            };
        });
    }

    @Override
    public void moveLeader(MemberId from, MemberId to) {
        read(() -> {
            requireEndpoint(RpcKind.CHANGE);
            play.model().changes.moveLeader(host, from, to);
            return true;
        });
    }
}
