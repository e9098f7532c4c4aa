package io.kjadm.core.reset;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.EtcdCredentials;
import io.kjadm.core.etcd.EtcdFinder;
import io.kjadm.core.etcd.EtcdOnNode;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.KeptData;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.HostInfo;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.lock.LeaseLocks;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.core.node.StaticPodShutdown;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.reset.MemberExit.Standing;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.RemovalPlan;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.SchedulerPod;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * {@code remove-etcd-member}: takes this node's member out of a stacked etcd, stops it, and wipes its
 * data, in this order and each step only when the one before is confirmed: a member that is listed
 * and has lost its data harms the whole cluster (reference 04 §5.2).
 *
 * <p>From the decision to the read-back the membership lock is held. If the others need the member
 * nothing is changed. If it fails later, the control plane's
 * manifests are put back and the node is as it was. Running it again goes on where it stopped.
 */
final class RemoveEtcdMemberPhase implements Phase<ResetRun> {

    private static final String AREA = "reset";
    /** What uses this node's etcd; it must not serve answers from a member that leaves. */
    private static final List<String> CLIENTS =
            List.of(ApiServerPod.NAME, ControllerManagerPod.NAME, SchedulerPod.NAME);

    private final HostFiles files;
    private final KubeClients clients;
    private final EtcdFinder finder;
    private final EtcdConnector connector;
    private final LeaseLocks locks;
    private final Waiter waiter;
    private final Function<Reporter, StaticPodShutdown> shutdowns;

    RemoveEtcdMemberPhase(HostFiles files, KubeClients clients, EtcdFinder finder,
            EtcdConnector connector, LeaseLocks locks, Waiter waiter,
            Function<Reporter, StaticPodShutdown> shutdowns) {
        this.files = files;
        this.clients = clients;
        this.finder = finder;
        this.connector = connector;
        this.locks = locks;
        this.waiter = waiter;
        this.shutdowns = shutdowns;
    }

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of("remove-etcd-member", "Remove a local etcd member",
                "kubeconfig", "dry-run");
    }

    @Override
    public ResetRun run(ResetRun run, Reporter out) {
        EtcdOnNode etcd = run.etcd();
        ManifestsAside aside = new ManifestsAside(files, run.paths());
        StaticPodShutdown shutdown = shutdowns.apply(out);
        if (etcd.external()) {
            out.step(AREA, "The cluster uses an external etcd: its members and data are left alone");
            return run.with(new EtcdOutcome.Absent());
        }
        if (aside.hasLeft()) {
            return run.with(wipe(run, aside, shutdown, out));
        }
        if (!etcd.mayBeMember()) {
            out.step(AREA, "There is no etcd member on this node");
            return run.with(new EtcdOutcome.Absent());
        }
        return switch (standing(run, aside, shutdown, out)) {
            case Standing.Free free -> throw new IllegalStateException("undecided: " + free);
            case Standing.Left() -> run.with(wipe(run, aside, shutdown, out));
            case Standing.Needed(String what, String why, String next) ->
                    throw new ClusterException(what, why, next);
            case Standing.Unclear(String what, String why, String next) -> {
                if (!run.config().force()) {
                    throw new ClusterException(what, why + "; this node is as it was",
                            next + ", then reset again; --force cleans this node all the same, "
                                    + "but keeps etcd's data");
                }
                String kept = setAside(run, aside, shutdown, out);
                yield run.with(new EtcdOutcome.Kept(what, why + "; " + kept, next));
            }
        };
    }

    private Standing standing(ResetRun run, ManifestsAside aside, StaticPodShutdown shutdown,
            Reporter out) {
        if (run.etcd().unreadable().isPresent() && run.cluster().isEmpty()) {
            return new Standing.Unclear("it is not known where etcd keeps its data",
                    run.etcd().unreadable().get(), "remove this node's member on a control-plane "
                            + "node that stays, and etcd's data by hand");
        }
        Standing standing = exit(run, aside, shutdown, out);
        boolean nobodyToAsk = standing instanceof Standing.Unclear && run.cluster().isEmpty();
        if (nobodyToAsk && run.etcd().neverStarted()) {
            out.step(AREA, "This node's etcd has never started: there is no cluster to leave");
            return new Standing.Left();
        }
        return standing;
    }

    private Standing exit(ResetRun run, ManifestsAside aside, StaticPodShutdown shutdown, Reporter out) {
        Duration limit = run.config().timeouts().etcdApiCall();
        try (EtcdCluster cluster = connector.connect(new EtcdCredentials(files, finder).at(
                endpoints(run, out), certificates(run), waiter.now()))) {
            MemberExit exit = new MemberExit(cluster, run.etcd(), waiter, out);
            // a refusal needs nobody's consent, so it does not queue
            Standing preview = exit.preview(limit);
            Optional<Member> listed = preview instanceof Standing.Free(RemovalPlan plan)
                    ? listed(plan) : Optional.empty();
            if (listed.isEmpty()) {
                return leave(exit, preview, run, aside, shutdown, out);
            }
            try (MembershipLock.Held turn = lock(run, out).take(removing(listed.get()), MembershipLock.LONGEST_WAIT)) {
                // the others may have changed while this node waited
                return leave(exit, exit.preview(limit), run, aside, shutdown, out);
            }
        } catch (EtcdCallException | HostException e) {
            return new Standing.Unclear("etcd cannot be asked about this node's member",
                    e.getMessage(), "on a control-plane node that stays, run \"kjadm etcd member list\" "
                            + "and remove this node's member if it is listed");
        }
    }

    private static Optional<Member> listed(RemovalPlan plan) {
        return switch (plan) {
            case RemovalPlan.NotListed none -> Optional.empty();
            case RemovalPlan.LastMember last -> Optional.of(last.member());
            case RemovalPlan.Remove remove -> Optional.of(remove.member());
            case RemovalPlan.MoveLeaderThenRemove move -> Optional.of(move.member());
            case RemovalPlan.Refused refused -> Optional.empty();
        };
    }

    private MembershipLock lock(ResetRun run, Reporter out) {
        return locks.of(() -> clients.of(run.kubeconfig()),
                run.etcd().name().orElseGet(() -> new HostInfo(files).hostname()), out);
    }

    private static Work removing(Member member) {
        return new Work("reset", Optional.of(member.id()), "removing the member");
    }

    private Standing leave(MemberExit exit, Standing preview, ResetRun run, ManifestsAside aside,
            StaticPodShutdown shutdown, Reporter out) {
        if (!(preview instanceof Standing.Free(RemovalPlan plan))) {
            return preview;
        }
        announce(plan, out);
        CLIENTS.forEach(aside::takeOut);
        shutdown.awaitKubelet(run.criSocket(), CLIENTS);
        Standing left = exit.leave(run.config().timeouts().etcdApiCall());
        if (left instanceof Standing.Left) {
            aside.markLeft();
        } else {
            CLIENTS.forEach(aside::putBack);
        }
        return left;
    }

    private static void announce(RemovalPlan plan, Reporter out) {
        switch (plan) {
            case RemovalPlan.NotListed none ->
                    out.step(AREA, "etcd lists no member of this node: none has to be removed");
            case RemovalPlan.LastMember last -> out.warn(
                    "%s is the only voter of its etcd cluster: this reset ends the cluster"
                            .formatted(last.member().describe()));
            case RemovalPlan.Remove remove -> out.step(AREA,
                    "etcd member %s can leave: the others keep a quorum"
                            .formatted(remove.member().describe()));
            case RemovalPlan.MoveLeaderThenRemove move -> out.step(AREA,
                    "etcd member %s leads and can leave: the others keep a quorum"
                            .formatted(move.member().describe()));
            case RemovalPlan.Refused refused ->
                    throw new IllegalStateException("not to be carried out: " + refused);
        }
    }

    /** This node's own etcd, those it was started with, and those the API server knows. */
    private List<URI> endpoints(ResetRun run, Reporter out) {
        Set<URI> endpoints = new LinkedHashSet<>(run.etcd().ownClientUrls());
        endpoints.addAll(run.etcd().otherClientUrls());
        if (run.cluster().isPresent()) {
            try {
                endpoints.addAll(finder.listed(clients.of(run.kubeconfig())));
            } catch (KubeApiException | KjadmException e) {
                out.detail("reset: the etcd pods cannot be listed: " + e.getMessage());
            }
        }
        return new ArrayList<>(endpoints);
    }

    private static KubernetesPaths certificates(ResetRun run) {
        return new KubernetesPaths(run.paths().kubernetesDir(), run.paths().kubeletDir(),
                run.etcd().certificatesDir());
    }

    private Optional<String> stop(ResetRun run, ManifestsAside aside, StaticPodShutdown shutdown) {
        CLIENTS.forEach(aside::takeOut);
        aside.takeOut(EtcdPod.NAME);
        shutdown.awaitKubelet(run.criSocket(), List.of(EtcdPod.NAME));
        return shutdown.stopForGood(run.criSocket());
    }

    private EtcdOutcome wipe(ResetRun run, ManifestsAside aside, StaticPodShutdown shutdown,
            Reporter out) {
        Optional<String> running = stop(run, aside, shutdown);
        if (running.isPresent()) {
            return new EtcdOutcome.Kept("etcd's data in %s is kept".formatted(run.etcd().dataDir()),
                    "etcd may still be running: " + running.get(),
                    "see that no etcd runs on this node, then empty the directory");
        }
        out.step(AREA, "Deleting contents of the etcd data directory: " + run.etcd().dataDir());
        files.deleteContents(run.etcd().dataDir());
        forget(run, aside);
        return new EtcdOutcome.Gone();
    }

    private String setAside(ResetRun run, ManifestsAside aside, StaticPodShutdown shutdown,
            Reporter out) {
        Optional<String> running = stop(run, aside, shutdown);
        running.ifPresent(why -> out.warn("etcd may still be running: " + why));
        String kept = running.isPresent()
                ? "its data is kept in %s".formatted(run.etcd().dataDir())
                : new KeptData(files, run.etcd().dataDir()).setAside("kept", waiter.now());
        out.warn("the etcd member may still be listed: " + kept);
        forget(run, aside);
        return kept;
    }

    private void forget(ResetRun run, ManifestsAside aside) {
        new JournalFile(files, run.paths().tmpDir()).clear();
        aside.discard();
    }
}
