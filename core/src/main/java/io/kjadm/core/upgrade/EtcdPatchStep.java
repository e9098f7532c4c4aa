package io.kjadm.core.upgrade;

import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.check.EtcdCheckup;
import io.kjadm.core.node.Machine;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.core.preflight.PreflightHost;
import io.kjadm.core.upgrade.EtcdOrder.Direction;
import io.kjadm.etcd.EtcdCallException;
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
 */
final class EtcdPatchStep {

    private static final String AREA = "upgrade";
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private final Machine machine;
    private final ClusterClients clients;
    private final EtcdCheckup checkup;
    private final PreflightHost host;

    /** @param host gets the image */
    EtcdPatchStep(
            Machine machine, ClusterClients clients, EtcdCheckup checkup, PreflightHost host) {
        this.machine = machine;
        this.clients = clients;
        this.checkup = checkup;
        this.host = host;
    }

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
                patch(run, out);
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
            out.step(AREA, "An earlier run was giving this node's etcd " + order.target());
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

    /**
     * Gives this node's member the patch release, if it needs it, and sees that all others have it.
     *
     * @throws ClusterException if it is not given, or others do not have it after the time that they
     *     are waited for: nothing of the version to come was written then
     */
    private void patch(UpgradeRun run, Reporter out) {
        if (!concerns(run) || run.changes().unfinished().isPresent()) {
            return; // what has begun to get the next minor has passed this
        }
        EtcdPodInstallation installation = installation(run, out);
        Optional<EtcdPatch> needed = look(run, installation).patch();
        needed.filter(patch -> patch.members().stream().anyMatch(isOwn(installation)))
                .ifPresent(patch -> {
                    out.step(
                            AREA,
                            "etcd %s requires %s first: this node's member gets it now"
                                    .formatted(patch.target(), patch.version()));
                    change(run, out)
                            .applyHere(order(run, patch.version(), Optional.of(patch.tag())));
                });
        if (needed.isPresent()) {
            others(run, installation, out);
        }
    }

    private void others(UpgradeRun run, EtcdPodInstallation installation, Reporter out) {
        Look look = look(run, installation).without(isOwn(installation));
        if (look.patch().isEmpty()) {
            return;
        }
        EtcdPatch patch = look.patch().get();
        String todo = "run '%s' on %s".formatted(patch.command(), patch.labels());
        if (patch.begun()) {
            out.warn(
                    "another member has the minor of etcd %s already, and this was not done before: %s. Next: %s"
                            .formatted(patch.target(), look.summary(), todo));
            return;
        }
        if (run.settings().dryRun()) {
            out.step(AREA, "The upgrade would stop here until this is done: " + todo);
            return;
        }
        Duration wait = run.settings().scope().etcdPatchWait();
        if (wait.isZero()) {
            throw new ClusterException(
                    "every member of etcd needs %s before one gets %s"
                            .formatted(patch.version(), patch.target()),
                    "%s is left to do; nothing of %s was written"
                            .formatted(look.summary(), run.target()),
                    todo + ", then run the same command again");
        }
        out.step(AREA, "Now " + todo);
        machine.waiter()
                .until(
                        new Await(
                                AREA,
                                "every member of etcd to have " + patch.version(),
                                wait,
                                INTERVAL,
                                todo + ", then run the same command again"),
                        () -> {
                            Look now = look(run, installation).without(isOwn(installation));
                            return now.patch().isPresent()
                                    ? Attempt.notYet(now.summary())
                                    : Attempt.done(true);
                        });
    }

    private static Predicate<Member> isOwn(EtcdPodInstallation installation) {
        return member ->
                member.peerUrls().stream().anyMatch(installation.etcd().peerUrls()::contains);
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

    private Look look(UpgradeRun run, EtcdPodInstallation installation) {
        try {
            EtcdHealth health = checkup.look(installation.access()).health();
            return new Look(
                    health,
                    EtcdPatch.of(
                            health,
                            run.stored().cluster(),
                            run.skips(Rule.PATCH_FIRST.checkName())));
        } catch (EtcdCallException e) {
            throw new ClusterException(
                    "etcd does not answer",
                    e.getMessage(),
                    "see 'kjadm etcd status', bring etcd back, then run the same command again",
                    e);
        }
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
}
