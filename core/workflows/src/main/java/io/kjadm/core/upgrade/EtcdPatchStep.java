package io.kjadm.core.upgrade;

import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.check.EtcdCheckup;
import io.kjadm.core.etcd.version.EtcdMemberExchange;
import io.kjadm.core.etcd.version.EtcdOrder;
import io.kjadm.core.etcd.version.EtcdOrder.Direction;
import io.kjadm.core.etcd.version.EtcdVersionChange;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.core.preflight.machine.PreflightHost;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Gives this node's etcd member the patch release that all members need before the minor that goes
 * with the version of Kubernetes, as {@code etcd upgrade} does: under its own lock, with its own
 * journal, and ended before anything else of the node is changed. So a member that does not come up
 * with the next minor goes back to the patch release, and never below.
 *
 * @param host gets the image
 */
record EtcdPatchStep(
        Machine machine, ClusterClients clients, EtcdCheckup checkup, PreflightHost host) {

    private static final String AREA = "upgrade";
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    /** The same phase, with this step at its beginning. */
    Phase<UpgradeRun> before(Phase<UpgradeRun> phase) {
        return new Phase<>() {
            @Override
            public PhaseInfo info() {
                return phase.info();
            }

            @Override
            public UpgradeRun run(UpgradeRun run, Reporter out) {
                finish(run, out);
                // what has begun to get the next minor has passed this
                if (concerns(run) && run.changes().unfinished().isEmpty()) {
                    new Session(run, out).patch();
                }
                return phase.run(run, out);
            }
        };
    }

    /**
     * Finishes such a change that an earlier run has begun, whatever state it has left.
     *
     * @throws ClusterException if it does not succeed, or was rolled back
     */
    void finish(UpgradeRun run, Reporter out) {
        begun(run).ifPresent(order -> {
            out.step(AREA, "Resuming the upgrade of this node's etcd to " + order.target());
            change(run, out).applyHere(order);
        });
    }

    /** What an earlier run was changing etcd to, if that is the patch release it would get now. */
    private static Optional<EtcdOrder> begun(UpgradeRun run) {
        return run.changes()
                .unfinishedEtcd()
                .filter(_ -> concerns(run))
                .filter(begun -> EtcdPatch.leadsTo(version(begun.from()), version(begun.to())))
                .map(begun -> order(run, version(begun.to()), Optional.empty()));
    }

    private static EtcdVersion version(String noted) {
        return EtcdVersion.parse(noted.substring(EtcdPodInstallation.JOURNAL.length()));
    }

    private static boolean concerns(UpgradeRun run) {
        return run.controlPlane()
                && run.settings().scope().etcdUpgrade()
                && run.stored().cluster().etcd() instanceof LocalEtcd etcd
                && etcd.imageTag().isEmpty();
    }

    private static EtcdOrder order(UpgradeRun run, EtcdVersion version, Optional<String> tag) {
        return EtcdOrder.to(Direction.UPGRADE, version.toString(), tag).asPartOfUpgrade(run::skips);
    }

    private EtcdVersionChange change(UpgradeRun run, Reporter out) {
        return new EtcdVersionChange(machine, checkup, installation(run, out), out);
    }

    private EtcdPodInstallation installation(UpgradeRun run, Reporter out) {
        return new EtcdPodInstallation(
                machine,
                clients,
                new EtcdPlace(run.stored(), run.installed(), run.kubeconfig(), run.timeouts()),
                host,
                run.changes().fuse(),
                out);
    }

    /** One run on this node. */
    private final class Session {

        private final UpgradeRun run;
        private final EtcdMemberExchange member;
        private final Reporter out;

        Session(UpgradeRun run, Reporter out) {
            this.run = run;
            this.member = new EtcdMemberExchange(machine, installation(run, out), out);
            this.out = out;
        }

        /**
         * Gives this node's member the patch release, if it needs it, and sees that all others have
         * it.
         *
         * @throws ClusterException if it is not given, or others do not have it after the time that
         *     they are waited for: nothing of the version to come was written then
         */
        void patch() {
            Optional<EtcdPatch> needed = look().patch();
            needed.filter(patch -> patch.members().stream().anyMatch(member::isOwn))
                    .ifPresent(patch -> {
                        out.step(
                                AREA,
                                "etcd %s requires %s first: this node's member gets it now"
                                        .formatted(patch.target(), patch.version()));
                        change(run, out)
                                .applyHere(order(run, patch.version(), Optional.of(patch.tag())));
                    });
            if (needed.isPresent()) {
                Look left = look().without(member::isOwn);
                left.patch().ifPresent(patch -> others(left, patch));
            }
        }

        private void others(Look left, EtcdPatch patch) {
            String todo = "run '%s' on %s".formatted(patch.command(), patch.labels());
            String again = todo + ", then run the same command again";
            Duration wait = run.settings().scope().etcdPatchWait();
            if (patch.begun()) {
                out.warn(
                        "another member has the minor of etcd %s already, and this was not done before: %s. Next: %s"
                                .formatted(patch.target(), left.summary(), todo));
            } else if (run.settings().dryRun()) {
                out.step(AREA, "The upgrade would stop here until this is done: " + todo);
            } else if (wait.isZero()) {
                throw new ClusterException(
                        "every member of etcd needs %s before one gets %s"
                                .formatted(patch.version(), patch.target()),
                        "%s is left to do; nothing of %s was written"
                                .formatted(left.summary(), run.target()),
                        again);
            } else {
                out.step(AREA, "Now " + todo);
                machine.waiter()
                        .until(
                                new Await(
                                        AREA,
                                        "every member of etcd to have " + patch.version(),
                                        wait,
                                        INTERVAL,
                                        again),
                                this::othersHaveIt);
            }
        }

        /** A member that restarts is silent, and may come back with its previous version. */
        private Attempt<Boolean> othersHaveIt() {
            try {
                Look now = look().without(member::isOwn);
                String missing =
                        now.patch().isPresent() ? now.summary() : now.health().unhealthyMembers();
                return missing.isEmpty() ? Attempt.done(true) : Attempt.notYet(missing);
            } catch (ClusterException e) {
                return Attempt.notYet(e.problem().facts());
            }
        }

        private Look look() {
            try (EtcdCluster cluster = member.connect()) {
                EtcdHealth health = member.see(cluster).health();
                return new Look(
                        health,
                        EtcdPatch.of(
                                health,
                                run.stored().cluster(),
                                run.skips(Rule.PATCH_FIRST.checkName())));
            }
        }
    }

    /** The members as they are seen. */
    private record Look(EtcdHealth health, Optional<EtcdPatch> patch) {

        Look without(Predicate<Member> own) {
            return new Look(health, patch.flatMap(all -> all.without(own)));
        }

        String summary() {
            return patch.map(left -> left.summary(health)).orElse("");
        }
    }
}
