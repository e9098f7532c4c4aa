package io.kjadm.core.upgrade;

import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.error.Causes;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.version.NodeChanges;
import io.kjadm.core.etcd.version.NodeReturn;
import io.kjadm.core.etcd.version.ReversibleRun;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.node.ManifestStore;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.Problem;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.PatchTarget;
import io.kjadm.manifests.SchedulerPod;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * {@code control-plane}: gives etcd, API server, controller manager and scheduler of this node
 * their new version, one after the other, each only when the one before works. While it does, no
 * other node changes its etcd or its control plane. If one does not come up, all go back to what
 * they were, the last one first.
 */
record ControlPlaneUpgradePhase(Machine machine, ManifestStore manifests, ClusterClients cluster)
        implements Phase<UpgradeRun> {

    private static final String AREA = "upgrade";

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "control-plane",
                "Upgrade the control plane instance deployed on this node",
                Flag.CONFIG,
                Flag.DRY_RUN,
                Flag.KUBECONFIG,
                Flag.ADOPT_CHANGES,
                Flag.CERTIFICATE_RENEWAL,
                Flag.ETCD_PATCH_WAIT,
                Flag.ETCD_UPGRADE,
                Flag.PATCHES);
    }

    @Override
    public UpgradeRun run(UpgradeRun run, Reporter out) {
        if (!run.controlPlane()) {
            out.step(AREA, "Skipping phase: this node has no control plane");
            if (run.settings().scope().adoptChanges()) {
                out.step(
                        AREA,
                        "--adopt-changes is ignored: there is no manifest to keep changes of");
            }
            return run;
        }
        out.step(
                AREA,
                "Upgrading the control plane of node %s to %s"
                        .formatted(run.installed().name(), run.target()));
        MembershipLock lock = cluster.locks()
                .of(() -> cluster.kube().of(run.kubeconfig()), run.installed().name(), out);
        try (HeldLock held = lock.take(Work.beginning("upgrade"), MembershipLock.LONGEST_WAIT)) {
            UpgradeRun adopted = adopted(run, out);
            new Session(adopted, held, out).upgrade();
            return adopted;
        }
    }

    /** With what was changed by hand as patches, if that is wanted. */
    private UpgradeRun adopted(UpgradeRun run, Reporter out) {
        NodeChanges changes = run.changes().begin();
        return run.settings().scope().adoptChanges() && !changes.rollingBack()
                ? new Adoption(machine.files(), manifests, out)
                        .adopt(
                                run,
                                new EtcdUpgrade(machine, manifests, cluster, out)
                                        .membersToBeListed(run, changes),
                                changes)
                : run;
    }

    /** This node's turn. */
    private final class Session {

        private final UpgradeRun run;
        private final HeldLock held;
        private final Reporter out;
        private final NodeChanges changes;
        private final StaticPodExchange exchange;
        private final EtcdUpgrade etcd;
        private final ComponentJudges judges;
        private final NodeReturn back;

        Session(UpgradeRun run, HeldLock held, Reporter out) {
            this.run = run;
            this.held = held;
            this.out = out;
            this.changes = run.changes().begin();
            this.exchange = new StaticPodExchange(
                    machine, run.installed(), run.timeouts().upgradeManifests(), out);
            this.etcd = new EtcdUpgrade(machine, manifests, cluster, out);
            Supplier<KubeApi> local = () -> cluster.kube()
                    .of(run.installed().paths().adminConf(), run.node().localEndpoint());
            this.judges =
                    new ComponentJudges(machine.files(), run.installed(), machine.health(), local);
            this.back = new NodeReturn(
                    run.installed().name(),
                    judges.ofAll(),
                    exchange::startAtOnce,
                    local,
                    machine.waiter(),
                    out);
        }

        void upgrade() {
            // a manifest that cannot be made is no reason to roll back what works
            Map<PatchTarget, String> texts = changes.rollingBack() ? Map.of() : texts();
            new ReversibleRun(changes, AREA, out, this::putBack)
                    .run(
                            () -> steps(texts),
                            "the upgrade of this node was rolled back",
                            () -> "Rolling back what was changed on this node: "
                                    + String.join(", ", changes.changedSteps().reversed()));
        }

        private Map<PatchTarget, String> texts() {
            Map<PatchTarget, String> texts = new EnumMap<>(PatchTarget.class);
            ManifestStore.COMPONENTS.forEach(component -> texts.put(
                    component,
                    manifests.text(run.node(), component, run.installed().externalCa())));
            return texts;
        }

        private void steps(Map<PatchTarget, String> texts) {
            if (run.settings().scope().etcdUpgrade()
                    && run.stored().cluster().etcd() instanceof LocalEtcd local) {
                step(EtcdPod.NAME, () -> etcd.run(run, local, changes, exchange, held));
            }
            for (PatchTarget component : ManifestStore.COMPONENTS) {
                step(component.fileName(), texts.get(component));
            }
            if (!changes.changedSteps().isEmpty()) {
                back.await();
            }
        }

        private void step(String component, String text) {
            step(component, () -> {
                if (!exchange.changes(component, text)
                        && !changes.changedSteps().contains(component)) {
                    out.step(AREA, component + " is up to date");
                    return;
                }
                exchange.exchange(
                        changes, component, text, judges.of(component, Optional.of(run.target())));
            });
        }

        private void step(String component, Runnable work) {
            if (changes.isDone(component)) {
                out.step(AREA, "%s was upgraded by an earlier run".formatted(component));
                return;
            }
            held.tell(Work.beginning("upgrade").at(component));
            work.run();
            changes.done(component);
        }

        /** Everything, the last first; what is told does not keep the rest from going back. */
        private List<String> putBack() {
            List<String> faults = new ArrayList<>();
            List<String> onlyForward = new ArrayList<>();
            // of an earlier run, which had gone on: they serve the former version, too
            changes.forget(RenewalPhase.STEP);
            for (String step : changes.changedSteps()) {
                try {
                    Optional<Problem> stays = restore(step);
                    if (stays.isPresent()) {
                        onlyForward.add("%s: %s".formatted(step, stays.get()));
                    } else {
                        changes.restored(step);
                        out.step(AREA, "%s was rolled back, and works".formatted(step));
                    }
                } catch (KjadmException e) {
                    faults.add("%s: %s".formatted(step, Causes.words(e)));
                }
            }
            if (faults.isEmpty()) {
                endRollBack(onlyForward.isEmpty());
            }
            faults.addAll(onlyForward);
            return faults;
        }

        /** What only goes forward is where the next run goes on; it may not work before. */
        private void endRollBack(boolean whole) {
            if (whole) {
                changes.end(machine.waiter().now());
                back.await();
            } else {
                changes.goForward();
            }
        }

        /** @return why it stays as it is */
        private Optional<Problem> restore(String step) {
            switch (step) {
                case EtcdPod.NAME -> {
                    return etcd.rollBack(run, changes);
                }
                case ApiServerPod.NAME, ControllerManagerPod.NAME, SchedulerPod.NAME ->
                    exchange.restore(changes, step, judges.of(step, Optional.empty()));
                default -> changes.restore(step);
            }
            return Optional.empty();
        }
    }
}
