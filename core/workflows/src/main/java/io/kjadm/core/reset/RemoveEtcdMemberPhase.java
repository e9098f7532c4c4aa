package io.kjadm.core.reset;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.leave.EndedCluster;
import io.kjadm.core.etcd.leave.EtcdOutcome;
import io.kjadm.core.etcd.leave.FinalSnapshot;
import io.kjadm.core.etcd.leave.LeftJournals;
import io.kjadm.core.etcd.leave.OwnData;
import io.kjadm.core.etcd.leave.OwnMemberRemoval;
import io.kjadm.core.etcd.leave.RemovalState;
import io.kjadm.core.etcd.leave.RemovalState.Reason;
import io.kjadm.core.etcd.leave.ResetEntry;
import io.kjadm.core.etcd.leave.ResetJournal;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.HostInfo;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.ResetState;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.staticpod.ManifestStash;
import io.kjadm.core.staticpod.StaticPodShutdown;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.RemovalPlan;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.manifests.ApiServerPod;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/**
 * {@code remove-etcd-member}: takes this node's member out of a stacked etcd, stops it, and moves
 * its data aside, in this order and each step only when the one before is confirmed: a member that
 * is listed and has lost its data harms the whole cluster. Each step is in the
 * {@link ResetJournal} before it is taken.
 *
 * <p>From the decision to the read-back the membership lock is held. If the others need the member
 * nothing is changed. If it fails later, the control plane's manifests are put back and the node is
 * as it was. Running it again goes on where it stopped.
 */
record RemoveEtcdMemberPhase(
        HostFiles files,
        ClusterClients cluster,
        Waiter waiter,
        Failpoints failpoints,
        Function<Reporter, StaticPodShutdown> shutdowns)
        implements Phase<ResetRun> {

    private static final String AREA = "reset";

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "remove-etcd-member",
                "Remove a local etcd member",
                Flag.KUBECONFIG,
                Flag.FORCE_LAST_MEMBER,
                Flag.DRY_RUN);
    }

    @Override
    public ResetRun run(ResetRun run, Reporter out) {
        if (run.etcd().external()) {
            out.step(
                    AREA, "The cluster uses an external etcd: its members and data are left alone");
            return run.with(new EtcdOutcome.Absent());
        }
        ManifestStash aside =
                new ManifestStash(files, run.paths(), ResetJournal.place(run.paths()));
        ResetJournal journal = journal(aside, run.criSocket());
        Leaving leaving = new Leaving(
                run,
                aside,
                journal,
                new EtcdShutdown(files, aside, journal, shutdowns.apply(out), out),
                out);
        if (leaving.leftBefore()) {
            out.step(
                    AREA,
                    "Resuming an interrupted reset: the cluster does not need this node's etcd");
            return run.with(ResetWorkflow.toItsEnd(() -> leaving.shutdown.finish(run)));
        }
        if (!run.etcd().mayBeMember() && journal.entry().isEmpty()) {
            out.step(AREA, "There is no etcd member on this node");
            return run.with(new EtcdOutcome.Absent());
        }
        RemovalState state = leaving.removeOrPutBack();
        return run.with(ResetWorkflow.toItsEnd(() -> leaving.outcome(state)));
    }

    /** What an earlier reset has noted, unless etcd was set up here again since. */
    private ResetJournal journal(ManifestStash aside, String criSocket) {
        boolean overtaken = ResetJournal.read(files, aside.journal())
                .filter(entry -> entry.state()
                        .isOvertaken(aside.inPlace(ApiServerPod.NAME), aside.etcdInPlace()))
                .isPresent();
        if (overtaken) {
            aside.discard();
        }
        return new ResetJournal(files, aside.journal(), criSocket, waiter, failpoints.fuse(waiter));
    }

    /** One node's leaving. */
    private final class Leaving {

        private final ResetRun run;
        private final LocalEtcdState etcd;
        private final OwnData data;
        private final ManifestStash aside;
        private final ResetJournal journal;
        private final EtcdShutdown shutdown;
        private final Reporter out;

        Leaving(
                ResetRun run,
                ManifestStash aside,
                ResetJournal journal,
                EtcdShutdown shutdown,
                Reporter out) {
            this.run = run;
            this.etcd = run.etcd();
            this.data = OwnData.look(files, etcd, LeftJournals.restore(run.paths()));
            this.aside = aside;
            this.journal = journal;
            this.shutdown = shutdown;
            this.out = out;
        }

        /** Not if etcd was set up here again since, or its cluster has not ended. */
        boolean leftBefore() {
            return journal.left()
                    && (!aside.etcdInPlace()
                            || journal.entry().filter(this::isAboutTheData).isPresent())
                    && !goesOn();
        }

        /**
         * Whether the cluster that was to end has another voter now.
         *
         * @throws ClusterException if it has, and this node's etcd does not run: it was put back
         */
        private boolean goesOn() {
            boolean goesOn =
                    new EndedCluster(files, cluster.etcd(), out).goesOn(etcd, journal.entry());
            if (goesOn && !aside.etcdInPlace()) {
                ResetWorkflow.toItsEnd(shutdown::putBack);
                throw new ClusterException(OwnMemberRemoval.anotherHasJoined().problem());
            }
            return goesOn;
        }

        /**
         * Its manifest is taken out next, so only the data tells that it is still the same member.
         */
        private boolean isAboutTheData(ResetEntry entry) {
            return entry.state() == ResetState.REMOVED
                    && data.inPlace() instanceof DataDirectory.Held held
                    && entry.isAbout(held.identity());
        }

        EtcdOutcome outcome(RemovalState state) {
            return switch (state) {
                case RemovalState.Allowed free ->
                    throw new IllegalStateException("undecided: " + free);
                case RemovalState.Removed() -> {
                    journal.enter(ResetState.REMOVED);
                    yield shutdown.finish(run);
                }
                case RemovalState.Blocked(Reason reason, Problem problem) ->
                    blocked(reason, problem);
            };
        }

        private EtcdOutcome blocked(Reason reason, Problem problem) {
            if (reason.forcedBy(run.config().force(), run.config().forceLastMember())) {
                return kept(problem);
            }
            if (reason.flags().isPresent()) {
                return unsettled(reason.flags().get(), problem);
            }
            if (reason == Reason.NEEDED_FOR_QUORUM) {
                shutdown.putBack();
            }
            throw new ClusterException(problem);
        }

        private RemovalState removeOrPutBack() {
            try {
                return remove();
            } catch (KjadmException e) {
                ResetWorkflow.toItsEnd(shutdown::putBack);
                throw e;
            }
        }

        private EtcdOutcome unsettled(String flag, Problem problem) {
            String node = shutdown.putBack()
                    ? "this node is unchanged"
                    : "this node is as a forced reset has left it";
            throw new ClusterException(problem.with(
                    "; " + node,
                    problem.next() + ", then reset again; " + flag
                            + " cleans this node anyway, but keeps etcd's data"));
        }

        private EtcdOutcome kept(Problem problem) {
            if (run.config().forceLastMember()) {
                out.warn(
                        "no snapshot can be taken of an etcd that does not answer or has no quorum:"
                                + " its data directory is kept instead");
            }
            return new EtcdOutcome.Kept(problem.with("; " + shutdown.keep(run), problem.next()));
        }

        private RemovalState remove() {
            if (etcd.unreadable().isPresent() && run.cluster().isEmpty()) {
                return RemovalState.blocked(
                        Reason.UNKNOWN,
                        "it is unknown where etcd keeps its data",
                        etcd.unreadable().get(),
                        "remove this node's member on a control-plane "
                                + "node that stays, and etcd's data by hand");
            }
            RemovalState state = removeFromCluster();
            if (!state.isBlockedBy(Reason.UNREACHABLE) || run.cluster().isPresent()) {
                return state;
            }
            RemovalState known = data.whereNobodyAnswers(etcd, state);
            if (known instanceof RemovalState.Removed) {
                out.step(AREA, "This node's etcd has never started: there is no cluster to leave");
            }
            return known;
        }

        private RemovalState removeFromCluster() {
            EtcdCluster members;
            try {
                members = cluster.etcd().connect(etcd, run.answering(), out);
            } catch (EtcdCallException | HostException e) {
                return RemovalState.blocked(
                        Reason.UNREACHABLE,
                        "etcd cannot be asked about this node's member",
                        e.getMessage(),
                        OwnMemberRemoval.ASK_ELSEWHERE);
            }
            try (members) {
                OwnMemberRemoval exit =
                        new OwnMemberRemoval(members, etcd, data, journal, waiter, out);
                RemovalState state = removeUnderLock(members, exit);
                // nobody's word counts more than that the others go on
                return run.config().force() || run.config().forceLastMember()
                        ? exit.unlessNeeded(state)
                        : state;
            }
        }

        private RemovalState removeUnderLock(EtcdCluster members, OwnMemberRemoval exit) {
            Duration limit = run.config().timeouts().etcdApiCall();
            // a refusal needs nobody's consent, so it does not queue
            RemovalState preview = exit.preview(limit);
            Optional<Member> listed = preview
                            instanceof
                            RemovalState.Allowed(RemovalPlan plan, Optional<String> clusterId)
                    ? listed(plan)
                    : Optional.empty();
            if (listed.isEmpty()) {
                return removeIfAllowed(members, exit, preview);
            }
            try (MembershipLock.HeldLock _ =
                    lock().take(removing(listed.get()), MembershipLock.LONGEST_WAIT)) {
                // the others may have changed while this node waited
                return removeIfAllowed(members, exit, exit.preview(limit));
            }
        }

        private MembershipLock lock() {
            return cluster.locks()
                    .of(
                            () -> cluster.kube().of(run.kubeconfig()),
                            etcd.name().orElseGet(() -> new HostInfo(files).hostname()),
                            out);
        }

        private RemovalState removeIfAllowed(
                EtcdCluster members, OwnMemberRemoval exit, RemovalState preview) {
            if (!(preview
                    instanceof
                    RemovalState.Allowed(RemovalPlan plan, Optional<String> clusterId))) {
                return preview;
            }
            if (plan instanceof RemovalPlan.LastMember(Member last)
                    && !run.config().forceLastMember()) {
                return refused(last);
            }
            announce(plan, out);
            return ResetWorkflow.toItsEnd(() -> {
                journal.begin(exit.memberId(), clusterId);
                shutdown.takeClientsOut(run);
                RemovalState left = exit.leave(run.config().timeouts().etcdApiCall());
                return left instanceof RemovalState.Allowed allowed
                                && allowed.plan() instanceof RemovalPlan.LastMember(Member last)
                        ? ended(members, exit, last)
                        : left;
            });
        }

        /** Also if it became the last one only now, as another one has left. */
        private RemovalState ended(EtcdCluster members, OwnMemberRemoval exit, Member last) {
            if (!run.config().forceLastMember()) {
                return refused(last);
            }
            new FinalSnapshot(files, waiter, journal, out).take(members, last, etcd);
            return exit.end(run.config().timeouts().etcdApiCall());
        }

        private RemovalState refused(Member last) {
            return new RemovalState.Blocked(
                    Reason.NEEDED_FOR_QUORUM, ResetPreflightPhase.endsCluster(last));
        }
    }

    private static Optional<Member> listed(RemovalPlan plan) {
        return switch (plan) {
            case RemovalPlan.Remove remove -> Optional.of(remove.member());
            case RemovalPlan.LastMember last -> Optional.of(last.member());
            case RemovalPlan.Declined declined -> Optional.empty();
        };
    }

    private static Work removing(Member member) {
        return new Work("reset", Optional.of(member.id()), "removing the member");
    }

    private static void announce(RemovalPlan plan, Reporter out) {
        switch (plan) {
            case RemovalPlan.NotListed none ->
                out.step(AREA, "etcd lists no member of this node: none has to be removed");
            case RemovalPlan.LastMember last ->
                out.warn("%s is the only voter of its etcd cluster: this reset ends the cluster"
                        .formatted(last.member().describe()));
            case RemovalPlan.Remove remove ->
                out.step(
                        AREA,
                        "etcd member %s %scan leave: the others keep a quorum"
                                .formatted(
                                        remove.member().describe(),
                                        remove.successor().isPresent() ? "leads and " : ""));
            case RemovalPlan.Refused _, RemovalPlan.Unproven _, RemovalPlan.Promoted _ ->
                throw new IllegalStateException("not possible: " + plan);
        }
    }
}
