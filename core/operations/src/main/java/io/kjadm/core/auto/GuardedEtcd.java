package io.kjadm.core.auto;

import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Mutates;
import io.kjadm.etcd.RpcCode;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.Charter.Open;
import io.kjadm.etcd.auto.Entry;
import io.kjadm.etcd.auto.EntryBody.Added;
import io.kjadm.etcd.auto.EntryBody.Change;
import io.kjadm.etcd.auto.MachineId;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * etcd as the commands of the automatic mode get it: a change of members leaves this program only if
 * the log, read just before, has an open change of this machine that names it, if it removes the voter
 * that an open change removes, or a learner that was announced. Every other call that changes etcd is refused; calls that
 * only ask pass.
 *
 * <p>A program that stands still between the look and the call may send it late. Then it does what was
 * announced, or nothing: a learner that was removed meanwhile is not promoted, and a voter whose removal
 * was withdrawn may leave all the same, which the log keeps in mind ({@code Membership.withdrawn}).
 */
public final class GuardedEtcd {

    private final AutoLog log;
    private final MachineId self;

    private GuardedEtcd(AutoLog log, MachineId self) {
        this.log = log;
        this.self = self;
    }

    /** Connects as the real one does, and guards what it gives. */
    public static EtcdConnector around(EtcdConnector real, AutoLog log, MachineId self) {
        GuardedEtcd guard = new GuardedEtcd(log, self);
        return access -> guard.guarded(real.connect(access));
    }

    private EtcdCluster guarded(EtcdCluster real) {
        return (EtcdCluster) Proxy.newProxyInstance(
                EtcdCluster.class.getClassLoader(),
                new Class<?>[] {EtcdCluster.class},
                (proxy, method, arguments) -> {
                    if (method.isAnnotationPresent(Mutates.class)) {
                        require(real, method, arguments);
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void require(EtcdCluster real, Method method, Object... arguments) {
        // the log is read last, as close to the call as can be
        List<Member> members = method.getName().equals("addLearner") ? List.of() : real.members();
        Optional<EtcdHealth> health = method.getName().equals("remove")
                        && removed().filter(arguments[0]::equals).isPresent()
                ? Optional.of(EtcdHealth.ask(real, members))
                : Optional.empty();
        // an entry that was deleted since names nothing for the other machines
        StoreView store = log.refresh(Duration.ZERO);
        Optional<Open<Change>> open =
                log.charter().change().filter(change -> change.body().actor().equals(self));
        if (!(store instanceof StoreView.Answers)) {
            throw refused(
                    method,
                    ErrorClass.TRANSIENT,
                    RpcCode.UNAVAILABLE,
                    "the store does not show the log");
        }
        boolean named = switch (method.getName()) {
            case "remove" -> removes(health, members, (MemberId) arguments[0]);
            case "moveLeader" -> removed().filter(arguments[0]::equals).isPresent();
            default ->
                open.flatMap(change -> change.body().added())
                        .filter(added -> names(members, added, method.getName(), arguments[0]))
                        .isPresent();
        };
        if (!named) {
            throw refused(
                    method,
                    ErrorClass.FATAL,
                    RpcCode.FAILED_PRECONDITION,
                    open.map(change ->
                                    "slot %d of the log does not name it".formatted(change.slot()))
                            .orElse("the log has no open change of this machine"));
        }
    }

    private static EtcdCallException refused(
            Method method, ErrorClass errorClass, RpcCode code, String why) {
        return new EtcdCallException(
                errorClass, code, why, method.getName() + " of the automatic mode", null);
    }

    private boolean names(List<Member> members, Added added, String method, Object argument) {
        boolean paused = log.charter().pause().isPresent();
        return switch (method) {
            case "addLearner" -> !paused && urls(argument).equals(Set.copyOf(added.peerUrls()));
            case "promote" -> !paused && learner(members, added, argument).isPresent();
            default -> false;
        };
    }

    /** The voter that the open change removes. */
    private Optional<MemberId> removed() {
        return log.charter().change().flatMap(change -> change.body().removed());
    }

    /**
     * A voter that the log names, whichever machine has written that, while it alone is not healthy; or
     * a learner, which has no vote: one that the open change adds, when its machine is gone, or one that
     * this machine has added.
     */
    private boolean removes(Optional<EtcdHealth> health, List<Member> members, MemberId id) {
        if (removed().filter(id::equals).isPresent()) {
            boolean surplus = log.charter().hasSurplus();
            return health.filter(seen -> dispensable(seen, id, surplus)).isPresent();
        }
        boolean adding = log.charter()
                .change()
                .flatMap(change -> change.body().added())
                .flatMap(added -> learner(members, added, id))
                .isPresent();
        return adding || ownLearner(members, id);
    }

    /** All others are healthy; and it does not respond and two or more are left, or it is one too many. */
    private static boolean dispensable(EtcdHealth health, MemberId id, boolean surplus) {
        int others = health.quorum().voters() - 1;
        return health.find(id)
                .filter(member -> (health.healthy(member) ? surplus && others > 0 : others > 1)
                        && health.healthyVotersWithout(member).size() == others)
                .isPresent();
    }

    /**
     * The way back, which a pause leaves open, and the end of the change too: another machine may
     * have closed it while this one stood still, and added its learner late. A learner has no vote.
     */
    private boolean ownLearner(List<Member> members, Object id) {
        return log.entries(1).stream()
                .filter(entry -> entry.author().is(self))
                .map(Entry::body)
                .filter(Change.class::isInstance)
                .flatMap(body -> ((Change) body).added().stream())
                .anyMatch(added -> learner(members, added, id).isPresent());
    }

    private static Set<URI> urls(Object argument) {
        return argument instanceof URI one
                ? Set.of(one)
                : new HashSet<>(
                        ((Collection<?>) argument).stream().map(URI.class::cast).toList());
    }

    /** The listed learner of that ID, if it is the one that is added. */
    private static Optional<Member> learner(List<Member> members, Added added, Object id) {
        return members.stream()
                .filter(member -> member.learner()
                        && member.id().equals((MemberId) id)
                        && Set.copyOf(member.peerUrls()).equals(Set.copyOf(added.peerUrls())))
                .findFirst();
    }
}
