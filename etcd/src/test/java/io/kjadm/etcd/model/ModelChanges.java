package io.kjadm.etcd.model;

import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdErrors;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Quorum;
import io.kjadm.etcd.RpcCode;
import io.kjadm.etcd.RpcKind;
import io.kjadm.etcd.join.MemberAddTime;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/** The changes of members that are asked for: etcd's refusals, and what becomes of the rest. */
public final class ModelChanges {

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

    private static final long STABLE = 5_000;

    private final EtcdModel model;
    private Optional<Pending> pending = Optional.empty();

    ModelChanges(EtcdModel model) {
        this.model = model;
    }

    /** What was asked for late may be due now. */
    void second() {
        pending.filter(change -> !change.gone && change.due <= model.world.now() && model.serving())
                .ifPresent(this::settle);
    }

    /** Another voter leads: what the former leader had sent out may survive it. */
    void elected() {
        pending.filter(change -> !change.gone && model.random.nextBoolean())
                .ifPresentOrElse(
                        change -> apply(change.change),
                        () -> pending = pending.filter(change ->
                                change.due > model.world.now() && change.due < Long.MAX_VALUE));
    }

    /** The tests of an add, then the change itself as something that can be applied at any time. */
    public Runnable add(Machine client, URI url, boolean learner) {
        model.requireLeader(client, RpcKind.CHANGE);
        strictCheckOfAdd(learner);
        MemberId id = MemberAddTime.id(List.of(url), model.world.instant());
        return () -> {
            if (model.removed.contains(id)
                    || model.servers.stream().anyMatch(server -> server.id.equals(id))) {
                throw EtcdModel.refused(
                        RpcKind.CHANGE,
                        RpcCode.FAILED_PRECONDITION,
                        "etcdserver: member ID already exist");
            }
            if (model.servers.stream().anyMatch(server -> server.peerUrl.equals(url))) {
                throw EtcdModel.refused(
                        RpcKind.CHANGE, RpcCode.FAILED_PRECONDITION, EtcdErrors.PEER_URL_EXISTS);
            }
            if (learner
                    && model.servers.stream().filter(server -> server.learner).count()
                            >= model.maxLearners) {
                throw EtcdModel.refused(
                        RpcKind.CHANGE, RpcCode.FAILED_PRECONDITION, EtcdErrors.TOO_MANY_LEARNERS);
            }
            ModelServer added = new ModelServer(
                    id,
                    url,
                    model.machines.stream()
                            .filter(machine -> machine.peerUrl.equals(url))
                            .findFirst(),
                    learner);
            added.addedAt = model.world.now();
            model.servers.add(added);
        };
    }

    private void strictCheckOfAdd(boolean learner) {
        int voters = model.voters().size();
        if (!learner && voters > 1 && started() < new Quorum(voters + 1).size()) {
            throw EtcdModel.refused(RpcKind.CHANGE, RpcCode.UNKNOWN, EtcdErrors.NOT_ENOUGH_STARTED);
        }
        EtcdVersion leading = model.leader.orElseThrow().machine.orElseThrow().version;
        int needed = leading.addsWithSilentVoter() ? new Quorum(voters + 1).size() : voters;
        if (voters > 1 && connected() < needed) {
            throw EtcdModel.refused(RpcKind.CHANGE, RpcCode.UNAVAILABLE, EtcdErrors.UNHEALTHY);
        }
    }

    private long started() {
        return model.voters().stream().filter(server -> !server.name.isEmpty()).count();
    }

    private long connected() {
        return model.voters().stream()
                .filter(ModelServer::answers)
                .filter(server -> server == model.leader.orElseThrow()
                        || server.found()
                                && model.world.now() - server.machine.orElseThrow().connectedSince
                                        >= STABLE)
                .count();
    }

    public Runnable promote(Machine client, MemberId id) {
        model.requireLeader(client, RpcKind.CHANGE);
        ModelServer server = find(id);
        if (!server.learner) {
            throw EtcdModel.refused(
                    RpcKind.CHANGE, RpcCode.FAILED_PRECONDITION, EtcdErrors.NOT_A_LEARNER);
        }
        if (started() + 1 < new Quorum(model.voters().size() + 1).size()) {
            throw EtcdModel.refused(RpcKind.CHANGE, RpcCode.UNKNOWN, EtcdErrors.NOT_ENOUGH_STARTED);
        }
        if (server.lastIndex() * 10 < model.leader.orElseThrow().lastIndex() * 9) {
            throw EtcdModel.refused(
                    RpcKind.CHANGE, RpcCode.FAILED_PRECONDITION, EtcdErrors.LEARNER_NOT_READY);
        }
        return () -> {
            ModelServer then = find(id);
            if (!then.learner) {
                throw EtcdModel.refused(
                        RpcKind.CHANGE, RpcCode.FAILED_PRECONDITION, EtcdErrors.NOT_A_LEARNER);
            }
            then.learner = false;
            then.promotedAt = model.commit;
            then.votesSince = model.world.now();
        };
    }

    public Runnable remove(Machine client, MemberId id) {
        model.requireLeader(client, RpcKind.CHANGE);
        ModelServer server = find(id);
        int voters = model.voters().size();
        if (!server.learner) {
            long startedAfter = started() - (server.name.isEmpty() ? 0 : 1);
            if (startedAfter < new Quorum(voters - 1).size()) {
                throw EtcdModel.refused(
                        RpcKind.CHANGE, RpcCode.UNKNOWN, EtcdErrors.NOT_ENOUGH_STARTED);
            }
            long active = model.voters().stream().filter(ModelServer::answers).count();
            if (server.answers() && active - 1 < 1 + (voters - 1) / 2) {
                throw EtcdModel.refused(RpcKind.CHANGE, RpcCode.UNAVAILABLE, EtcdErrors.UNHEALTHY);
            }
        }
        return () -> {
            model.servers.remove(find(id));
            model.removed.add(id);
        };
    }

    /** The others look for a member at another URL from then on. */
    public Runnable update(Machine client, MemberId id, URI url) {
        model.requireLeader(client, RpcKind.CHANGE);
        return () -> {
            if (model.servers.stream().anyMatch(server -> server.peerUrl.equals(url))) {
                throw EtcdModel.refused(
                        RpcKind.CHANGE, RpcCode.FAILED_PRECONDITION, EtcdErrors.PEER_URL_EXISTS);
            }
            find(id).peerUrl = url;
        };
    }

    public void moveLeader(Machine client, MemberId from, MemberId to) {
        model.requireLeader(client, RpcKind.CHANGE);
        if (!model.leader.orElseThrow().id.equals(from)) {
            throw EtcdModel.refused(RpcKind.READ, RpcCode.UNAVAILABLE, EtcdErrors.LEADER_CHANGED);
        }
        ModelServer target = find(to);
        if (target.learner || !target.answers()) {
            throw EtcdModel.refused(
                    RpcKind.CHANGE,
                    RpcCode.FAILED_PRECONDITION,
                    "etcdserver: bad leader transferee");
        }
        if (target.lastIndex() < model.leader.get().lastIndex()) {
            throw EtcdModel.refused(
                    RpcKind.CHANGE,
                    RpcCode.UNKNOWN,
                    "etcdserver: request timed out, leader transfer took too long");
        }
        model.lead(target);
    }

    private ModelServer find(MemberId id) {
        return model.servers.stream()
                .filter(server -> server.id.equals(id))
                .findFirst()
                .orElseThrow(() -> EtcdModel.refused(
                        RpcKind.CHANGE, RpcCode.NOT_FOUND, EtcdErrors.MEMBER_NOT_FOUND));
    }

    /**
     * Applies a change at once. Only one may be under way: a second is dropped, and its caller
     * hears nothing.
     */
    public void propose(Runnable change) {
        if (pending.isPresent() || !commits()) {
            throw EtcdModel.refused(RpcKind.CHANGE, RpcCode.UNAVAILABLE, EtcdErrors.TIMED_OUT);
        }
        change.run();
    }

    /** Whether a majority of the voters keeps up, so that something new is committed. */
    private boolean commits() {
        long upToDate = model.voters().stream()
                .filter(server -> server.answers()
                        && (model.leader.filter(server::equals).isPresent()
                                || !server.machine.orElseThrow().lagging
                                        && server.lastIndex() >= model.acknowledged))
                .count();
        return upToDate >= model.quorum();
    }

    /** Applies a change later; {@code Long.MAX_VALUE}: not before the next election. */
    public void proposeLate(Machine machine, Asked asked, Runnable change, long due) {
        if (pending.isEmpty()) {
            var late = new Pending(change, machine, asked, due);
            pending = Optional.of(late);
            if (due < Long.MAX_VALUE) {
                // the server's limit: what is not applied under this leader by then needs another
                // leader
                model.world.in(due - model.world.now(), () -> {
                    if (!late.gone
                            && model.serving()
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

    /** Whether a change of any kind may still come, whoever asked for it. */
    public boolean pending() {
        return pending.isPresent();
    }
}
