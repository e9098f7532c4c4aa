package io.kjadm.etcd.join;

import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.RpcCode;
import io.kjadm.etcd.RpcKind;
import io.kjadm.etcd.StatusAnswer;
import io.kjadm.etcd.join.Mishap.Kind;
import java.io.OutputStream;
import java.net.URI;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/** A program's connection to {@link EtcdModel}: what it must never ask for is a violation. */
final class SimulatedClient implements EtcdCluster {

    /**
     * What may be written between a look and the promotion it leads to, beyond the limit of the
     * lag.
     */
    private static final long SLACK = 2_000;

    private final Machine machine;
    private final Steps steps;
    private final Optional<RejoinOptions> joining;
    private final EtcdModel model;
    private final VirtualWorld world;
    private final Random random;

    /** @param joining with which options; empty for a reset */
    SimulatedClient(Machine machine, Steps steps, Optional<RejoinOptions> joining, EtcdModel model,
            VirtualWorld world, Random random) {
        this.machine = machine;
        this.steps = steps;
        this.joining = joining;
        this.model = model;
        this.world = world;
        this.random = random;
    }

    private void travel() {
        world.pass(random.nextInt(8) == 0 ? random.nextInt(800) : 1 + random.nextInt(10));
    }

    private <T> T read(Supplier<T> question) {
        steps.mayDie();
        travel();
        return question.get();
    }

    @Override
    public List<Member> membersKnownTo(URI clientUrl) {
        throw new UnsupportedOperationException(
                "neither a join nor a reset asks one member for its own list");
    }

    @Override
    public List<Member> members() {
        return read(() -> model.list(machine));
    }

    @Override
    public MemberStatus status(Member member) {
        return model.status(machine, member.id());
    }

    @Override
    public Map<Member, StatusAnswer> statuses(Collection<Member> members) {
        return read(() -> {
            Map<Member, StatusAnswer> answers = new LinkedHashMap<>();
            members.forEach(member -> answers.put(member, StatusAnswer.ask(this, member)));
            return answers;
        });
    }

    @Override
    public MemberStatus status(URI clientUrl) {
        throw new UnsupportedOperationException("nobody asks here");
    }

    @Override
    public void snapshot(URI clientUrl, OutputStream into) {
        throw new UnsupportedOperationException("the last voter stays here");
    }

    private void change(EtcdModel.Asked asked, Supplier<Runnable> tested) {
        steps.mayDie();
        travel();
        Optional<Mishap> mishap = steps.callMishap();
        Kind kind = mishap.map(Mishap::kind).orElse(null);
        long millis = mishap.map(Mishap::millis).orElse(0L);
        if (kind == Kind.REQUEST_LOST) {
            world.pass(millis);
            throw lost();
        }
        Runnable change = tested.get();
        Optional<Mishap> inFlight = steps.crashNow();
        if (inFlight.isPresent()) {
            model.proposeLate(machine, asked, change, world.now() + random.nextInt(7_000));
            throw new Killed(inFlight.get().millis());
        }
        if (kind == Kind.APPLIED_LATE) {
            model.proposeLate(machine, asked, change, world.now() + millis);
            world.pass(millis % 2 * 7_000);
            throw lost();
        }
        if (kind == Kind.APPLIED_BY_NEXT_LEADER) {
            model.abdicate(machine, asked, change);
            throw lost();
        }
        model.propose(change);
        if (kind == Kind.REPLY_LOST) {
            world.pass(millis);
            throw lost();
        }
        travel();
        steps.mayDie();
    }

    private EtcdCallException lost() {
        return EtcdModel.refused(RpcKind.CHANGE, RpcCode.DEADLINE_EXCEEDED,
                "deadline exceeded");
    }

    @Override
    public Member addLearner(URI peerUrl) {
        if (model.mayStillCome(machine, EtcdModel.Asked.ADD)) {
            throw new Violation("an add is sent while an earlier one may still come");
        }
        change(EtcdModel.Asked.ADD, () -> model.add(machine, peerUrl, true));
        return model.servers.stream().filter(server -> server.peerUrl.equals(peerUrl))
                .findFirst().orElseThrow()
                .member();
    }

    @Override
    public Member addVoter(URI peerUrl) {
        throw new Violation("a voter is added directly");
    }

    @Override
    public void promote(MemberId learner) {
        listed(learner).filter(server -> server.learner).ifPresent(server -> {
            if (server.machine.filter(machine::equals).isEmpty()) {
                throw new Violation("somebody else's learner is promoted: "
                        + server.member().describe());
            }
            if (model.lag(server) > Following.LAG_LIMIT + SLACK && !machine.lagging) {
                throw new Violation(
                        "a quorum is made to depend on %s, which is %d entries behind"
                                .formatted(server.member().describe(), model.lag(server)));
            }
            degraded().filter(voter -> joining.isEmpty()
                    || !joining.get().allowDegraded())
                    .ifPresent(voter -> {
                        throw new Violation("a learner is promoted while a voter is down: "
                                + voter.member().describe());
                    });
        });
        change(EtcdModel.Asked.PROMOTE, () -> model.promote(machine, learner));
    }

    @Override
    public void remove(MemberId member) {
        if (joining.isPresent() && model.mayStillCome(machine, EtcdModel.Asked.PROMOTE)) {
            throw new Violation("a removal is sent while a promotion may still come");
        }
        change(EtcdModel.Asked.REMOVE, () -> {
            Runnable change = model.remove(machine, member);
            return () -> {
                listed(member).ifPresent(this::mayRemove);
                change.run();
            };
        });
    }

    /** A voter that is down for longer than a look may be old. */
    private Optional<ModelServer> degraded() {
        return model.servers.stream().filter(server -> !server.learner)
                .filter(server ->
                        server.machine.filter(it -> !it.up
                                && world.now() - it.downSince > 5_000)
                        .isPresent()).findFirst();
    }

    private Optional<ModelServer> listed(MemberId id) {
        return model.servers.stream().filter(server -> server.id.equals(id)).findFirst();
    }

    private void mayRemove(ModelServer server) {
        boolean own = server.peerUrl.equals(machine.peerUrl);
        RejoinOptions options = joining.orElse(RejoinOptions.NONE);
        boolean abandoned = server.learner
                && world.now() - server.addedAt >= Simulation.LIMITS.abandoned().toMillis();
        if (!own && !abandoned && !(options.takeover() && server.learner)) {
            throw new Violation("somebody else's member is removed: "
                    + server.member().describe());
        }
        boolean reset = joining.isEmpty();
        if (!server.learner && !reset && !options.replaceLostVoter()) {
            throw new Violation("a voter is removed that nobody asked to remove: "
                    + server.member().describe());
        }
    }

    @Override
    public void moveLeader(MemberId from, MemberId to) {
        read(() -> {
            model.moveLeader(machine, from, to);
            return true;
        });
    }

    @Override
    public List<Alarm> alarms() {
        return List.of();
    }

    @Override
    public void close() {
        // nothing is open
    }
}
