package io.kjadm.core.etcd.ca;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.LeadershipTransfer;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdSurvey;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Problem;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a restart of this node's etcd needs besides the restart: the others' consent by
 * {@link EtcdRestartRule}, leadership with somebody else, no other node that does the same, and a
 * look whether the member is back. Where no etcd answers, none is lost by a restart.
 */
public final class EtcdRestart {

    private static final String AREA = "renew";
    /** Past the last of what the kubelet may be waited for. */
    public static final Duration COMPONENT_LIMIT = Duration.ofMinutes(6);

    private static final Duration BACK_LIMIT = Duration.ofMinutes(2);
    /** Voters that can reach each other have a leader within a few seconds. */
    private static final Duration ELECTION = Duration.ofSeconds(10);

    private static final Duration INTERVAL = Duration.ofMillis(500);
    /** etcd is the first one that is restarted. */
    private static final String UNTOUCHED = ", and no component was restarted";

    private final EtcdClients clients;
    private final LocalEtcdState local;
    private final Path certificatesDir;
    private final MembershipLock lock;
    private final Waiter waiter;
    private final Reporter out;
    private final Purpose purpose;

    /**
     * What it is restarted for.
     *
     * @param operation as others who wait can read it
     * @param written   what the operation has changed before: {@code the certificates are renewed}
     * @param patience  how long others may be unhealthy, as they are while they are restarted for
     *                  the same
     */
    public record Purpose(String operation, String written, Duration patience) {

        /** This node has new certificates. */
        public static final Purpose RENEWAL = renewal("certs renew", Duration.ZERO);

        /** This machine has new certificates by that command. */
        public static Purpose renewal(String operation, Duration patience) {
            return new Purpose(operation, "the certificates are renewed", patience);
        }

        /** This machine trusts other CAs than before. */
        public static Purpose caRotation(Duration patience) {
            return new Purpose("etcd certs rotate-ca", "etcd's ca.crt is changed", patience);
        }

        private String untouched() {
            return written + UNTOUCHED;
        }
    }

    /**
     * @param local           what this node's files tell of its member
     * @param certificatesDir where the certificates for asking etcd are
     * @param lock            keeps other nodes from changing or restarting etcd meanwhile
     * @param waiter          the clock; a dry run's only reports waits
     */
    public EtcdRestart(
            EtcdClients clients,
            LocalEtcdState local,
            Path certificatesDir,
            MembershipLock lock,
            Waiter waiter,
            Reporter out,
            Purpose purpose) {
        this.clients = clients;
        this.local = local;
        this.certificatesDir = certificatesDir;
        this.lock = lock;
        this.waiter = waiter;
        this.out = out;
        this.purpose = purpose;
    }

    /**
     * Restarts etcd if it may.
     *
     * @param restart ends when the container runs again
     * @return whether etcd can serve: a member whose voters wait for certificates of their own
     *         knows no leader
     * @throws ClusterException if the other voters cannot do without it, with nothing touched, or
     *         if it does not come back
     */
    public boolean guard(Runnable restart) {
        try (EtcdCluster etcd = clients.connect(clients.to(local.clientUrls(), certificatesDir))) {
            Optional<EtcdHealth> health = survey(etcd);
            boolean alone = health.filter(seen -> seen.voters().size() > 1).isEmpty();
            if (alone) {
                return restartOnce(etcd, health, restart);
            }
            awaitAllowed(etcd, health);
            try (HeldLock held = lock.take(
                    Work.beginning(purpose.operation()),
                    MembershipLock.SHORT_WAIT.plus(purpose.patience()))) {
                // who had the turn before may have restarted another member
                return restartOnce(etcd, survey(etcd), () -> {
                    // to be allowed may have taken minutes
                    held.requireHeld();
                    restart.run();
                });
            }
        }
    }

    private Optional<EtcdHealth> survey(EtcdCluster etcd) {
        try {
            return switch (EtcdSurvey.of(etcd, List.copyOf(local.clientUrls()))) {
                case EtcdSurvey.Heard heard -> Optional.of(heard.health());
                case EtcdSurvey.Silence _ -> Optional.empty();
            };
        } catch (EtcdCallException e) {
            throw new ClusterException(
                    "etcd could not be asked", e.text(), "run the command again", e);
        }
    }

    private boolean restartOnce(EtcdCluster etcd, Optional<EtcdHealth> health, Runnable restart) {
        EtcdRestartRule.Allowed allowed = awaitAllowed(etcd, health);
        out.step(AREA, "etcd can be restarted: " + allowed.why());
        allowed.handOver()
                .ifPresent(change -> new LeadershipTransfer(waiter, out, AREA)
                        .away(
                                etcd,
                                change.leader(),
                                change.successor(),
                                purpose.untouched()
                                        + "; see 'kjadm etcd status', then run the command again"));
        restart.run();
        return awaitBack(etcd, health.filter(EtcdRestart::otherVotersServe).isPresent());
    }

    /** Otherwise a leader comes when they have certificates too, which may be hours away. */
    private static boolean otherVotersServe(EtcdHealth health) {
        return health.voters().size() == 1 || health.leader().isPresent();
    }

    private EtcdRestartRule.Allowed awaitAllowed(EtcdCluster etcd, Optional<EtcdHealth> health) {
        // looked at even in a dry run, whose own waits take no time
        Waiter observer = clients.observer();
        Instant until = observer.now().plus(purpose.patience());
        Optional<EtcdHealth> seen = health;
        while (true) {
            switch (judge(etcd, seen)) {
                case EtcdRestartRule.Allowed allowed -> {
                    return allowed;
                }
                case EtcdRestartRule.Refused(var problem) -> {
                    if (!observer.now().isBefore(until)) {
                        throw new ClusterException(
                                problem.with("; " + purpose.untouched(), problem.next()));
                    }
                    observer.pause(AREA, problem.why(), INTERVAL);
                }
            }
            seen = survey(etcd);
        }
    }

    private EtcdRestartRule judge(EtcdCluster etcd, Optional<EtcdHealth> health) {
        Optional<Problem> alone = local.added()
                .startProblem()
                .filter(_ -> health.filter(seen -> seen.members().size() == 1).isEmpty());
        if (alone.isPresent()) {
            return new EtcdRestartRule.Refused(alone.get());
        }
        return health.map(seen -> EtcdRestartRule.judge(seen, own(etcd, seen)))
                .orElseGet(() -> new EtcdRestartRule.Allowed(
                        "no etcd member responds, so a restart cannot cost the quorum",
                        Optional.empty()));
    }

    /** The member that answers on this machine; if none does, the one by this node's peer URLs. */
    private Optional<Member> own(EtcdCluster etcd, EtcdHealth health) {
        return local.ownStatus(etcd)
                .map(MemberStatus::memberId)
                .flatMap(health::find)
                .or(() -> health.members().stream().filter(local::hasPeerUrlOf).findFirst());
    }

    /** @param led whether there was a leader before: then there is to be one again */
    private boolean awaitBack(EtcdCluster etcd, boolean led) {
        Await await = new Await(
                AREA,
                "this node's etcd member to be healthy again",
                BACK_LIMIT,
                INTERVAL,
                "see 'kjadm etcd status' and etcd's log");
        Instant patience = waiter.now().plus(ELECTION);
        // a dry run goes on as if it had come back
        boolean leader = waiter.until(await, () -> back(etcd, led, patience)).orElse(true);
        if (!leader) {
            out.warn(
                    "this node's etcd serves with its new certificates and knows no leader: renew them where the other members are, too");
        }
        return leader;
    }

    private Attempt<Boolean> back(EtcdCluster etcd, boolean led, Instant patience) {
        String seen = "it does not answer";
        for (URI url : local.localClientUrls()) {
            try {
                if (!etcd.status(url).leaderId().isNone()) {
                    return Attempt.done(true);
                }
                if (!led && waiter.now().isAfter(patience)) {
                    return Attempt.done(false);
                }
                seen = "it knows no leader";
            } catch (EtcdCallException e) {
                seen = e.text();
            }
        }
        return Attempt.notYet(seen);
    }
}
