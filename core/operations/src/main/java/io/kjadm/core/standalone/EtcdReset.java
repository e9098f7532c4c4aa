package io.kjadm.core.standalone;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.etcd.leave.EndedCluster;
import io.kjadm.core.etcd.leave.OwnData;
import io.kjadm.core.etcd.leave.OwnMemberRemoval;
import io.kjadm.core.etcd.leave.RemovalState;
import io.kjadm.core.etcd.leave.RemovalState.Reason;
import io.kjadm.core.etcd.leave.ResetEntry;
import io.kjadm.core.etcd.leave.ResetJournal;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.ResetState;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Uninterrupted;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.RemovalPlan;
import io.kjadm.etcd.check.DataDirectory;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * {@code etcd reset} and {@code etcd teardown}: takes this machine's member out of its cluster, stops it, and sets its data
 * aside, in this order and each step only when the one before is confirmed. Each step is in a
 * journal before it is taken, so running it again goes on where it stopped. If the others need the
 * member, nothing is changed.
 */
public final class EtcdReset {

    private static final String AREA = "reset";
    private static final Duration LIMIT = Duration.ofMinutes(2);

    /**
     * What the operator allows.
     *
     * @param force           clean up although it is unknown whether the cluster lists the member;
     *                        its data then stays where it is
     * @param forceLastMember end the cluster; a snapshot is kept
     * @param purgePki        remove the CA, too
     * @param extent          what else is removed
     * @param asked           client URLs of the cluster that is asked, where this machine's files
     *                        do not tell them
     */
    public record Options(
            boolean force,
            boolean forceLastMember,
            boolean purgePki,
            Extent extent,
            List<URI> asked) {

        public Options {
            asked = List.copyOf(asked);
        }

        /** Of a reset. */
        public Options(boolean force, boolean forceLastMember, boolean purgePki) {
            this(force, forceLastMember, purgePki, Extent.MEMBER, List.of());
        }

        /** The same, of a machine whose former cluster another one has followed. */
        public Options asking(List<URI> endpoints) {
            return new Options(force, forceLastMember, purgePki, extent, endpoints);
        }

        /** Of a teardown: nothing of etcd is to stay on this machine, be it the last one. */
        public static Options teardown(boolean force, boolean deleteData) {
            return new Options(
                    force,
                    true,
                    true,
                    deleteData ? Extent.WITH_DATA : Extent.EVERYTHING,
                    List.of());
        }

        /** Whether the operator gave the flag; a teardown goes without it. */
        private boolean lastMemberNamed() {
            return forceLastMember && !teardown();
        }

        boolean teardown() {
            return extent != Extent.MEMBER;
        }

        /** By which it is run again. */
        String command() {
            return teardown() ? "kjadm etcd teardown" : "kjadm etcd reset";
        }
    }

    /** What is removed. */
    public enum Extent {
        /** The service, its files and certificates. */
        MEMBER,
        /** Programs, CA and cache, too; data is set aside all the same. */
        EVERYTHING,
        /** Its data as well. */
        WITH_DATA
    }

    private final Machine machine;
    private final HostFiles files;
    private final EtcdClients clients;
    private final SystemdEtcd host;
    private final EtcdHostPaths paths;
    private final MembershipLock lock;
    private final Options options;
    private final Failpoints failpoints;
    private final EtcdHostCleanUp cleanUp;
    private final Reporter out;

    /** @param lock keeps other machines from changing the members meanwhile */
    public EtcdReset(
            SystemdEtcd host,
            EtcdClients clients,
            MembershipLock lock,
            Options options,
            Failpoints failpoints,
            Reporter out) {
        this.machine = host.machine();
        this.files = host.machine().files();
        this.clients = clients;
        this.host = host;
        this.paths = host.paths();
        this.lock = lock;
        this.options = options;
        this.failpoints = failpoints;
        this.cleanUp = new EtcdHostCleanUp(host, options, out);
        this.out = out;
    }

    /** Whether there is anything to reset on this machine. */
    public boolean needed() {
        return host.known()
                || files.exists(journalPath())
                || options.teardown()
                        && (files.exists(paths.cacheDir()) || cleanUp.leavesCertificates());
    }

    private Path journalPath() {
        return paths.stateDir().resolve("reset.json");
    }

    /**
     * Does it.
     *
     * @throws ClusterException if the member may not leave: nothing was changed then
     * @throws HostException    if a step of cleaning up failed; the others were done
     */
    public void run() {
        if (!host.known()) {
            files.delete(journalPath());
            out.step(AREA, "There is no standalone etcd on this machine");
            if (options.teardown()) {
                cleanUp.removeLeftovers();
            }
            return;
        }
        LocalEtcdState etcd = host.state();
        ResetJournal journal = journal(etcd);
        if (journal.left()
                && !new EndedCluster(files, clients, out).goesOn(etcd, journal.entry())) {
            out.step(AREA, "Resuming an interrupted reset: the cluster does not list this member");
        } else {
            RemovalState state = removeInTurn(etcd, journal);
            if (state instanceof RemovalState.Blocked(Reason reason, Problem problem)) {
                blocked(etcd, reason, problem);
                return;
            }
            journal.enter(ResetState.REMOVED);
        }
        Uninterrupted.run(() -> cleanUp.run(etcd, journal, journalPath()));
    }

    /** What an earlier reset has noted, unless etcd was set up here again since. */
    private ResetJournal journal(LocalEtcdState etcd) {
        ResetJournal journal = read();
        if (journal.left()
                && journal.entry().filter(entry -> !isAbout(entry, etcd)).isPresent()) {
            out.step(
                    AREA,
                    "The journal of an earlier reset is not about the member of this machine, and is ignored");
            files.delete(journalPath());
            return read();
        }
        return journal;
    }

    private ResetJournal read() {
        return new ResetJournal(
                files, journalPath(), "", machine.waiter(), failpoints.fuse(machine.waiter()));
    }

    /**
     * Before the last state the data are set aside: what is in their place came later. Until then
     * they tell whose they are.
     */
    private boolean isAbout(ResetEntry entry, LocalEtcdState etcd) {
        if (entry.state() == ResetState.CLEANING) {
            return !etcd.data();
        }
        return !(new DataDirReader(files).read(etcd.dataDir()) instanceof DataDirectory.Held held)
                || entry.isAbout(held.identity());
    }

    private void blocked(LocalEtcdState etcd, Reason reason, Problem problem) {
        if (!reason.forcedBy(options.force(), options.lastMemberNamed())) {
            throw new ClusterException(problem.with(
                    "; this machine is unchanged",
                    problem.next()
                            + reason.flags()
                                    .filter(_ ->
                                            !options.teardown() || reason != Reason.QUORUM_LOST)
                                    .map(flags -> "; %s stops etcd here anyway, and keeps its data"
                                            .formatted(flags))
                                    .orElse("")));
        }
        host.end();
        throw new ClusterException(problem.with(
                "; etcd was stopped on this machine, and its data stays in " + etcd.dataDir(),
                problem.next()));
    }

    /** A member that was never listed needs no lock, and neither does a refusal. */
    private RemovalState removeInTurn(LocalEtcdState etcd, ResetJournal journal) {
        RemovalState preview = remove(
                etcd,
                journal,
                etcd.data() || data(etcd).restore().isPresent() ? Act.LOOK : Act.LEAVE);
        if (!(preview instanceof RemovalState.Allowed)) {
            return preview;
        }
        Work work = Work.beginning(options.teardown() ? "etcd teardown" : "etcd reset");
        RemovalState left;
        try (HeldLock _ = lock.take(work, MembershipLock.LONGEST_WAIT)) {
            // the others may have changed while this machine waited
            left = remove(etcd, journal, Act.LEAVE);
        }
        // giving the lock back is a write to etcd, which the last snapshot is to have
        return left instanceof RemovalState.Allowed ? remove(etcd, journal, Act.END) : left;
    }

    /** How far a look at the cluster goes. */
    private enum Act {
        /** To whether the member may leave. */
        LOOK,
        /** To its removal, unless it is the last one. */
        LEAVE,
        /** To the end of a cluster whose last member it is. */
        END
    }

    private static Set<URI> known(LocalEtcdState etcd, OwnData data) {
        return data.restore()
                .map(found -> etcd.withOthers(found.clientUrls()))
                .orElse(etcd)
                .clientUrls();
    }

    private OwnData data(LocalEtcdState etcd) {
        return OwnData.look(files, etcd, host.restoreDir());
    }

    private RemovalState remove(LocalEtcdState etcd, ResetJournal journal, Act act) {
        if (!etcd.mayBeMember()) {
            out.step(AREA, "etcd was never set up here: there is no cluster to leave");
            return new RemovalState.Removed();
        }
        OwnData data = data(etcd);
        Collection<URI> asked = options.asked().isEmpty() ? known(etcd, data) : options.asked();
        if (asked.isEmpty()) {
            return unreachable(
                    "it is unknown where this machine's etcd is",
                    "there is data in %s, but no %s"
                            .formatted(etcd.dataDir(), paths.environment()));
        }
        EtcdCluster members;
        try {
            members = clients.connect(clients.to(asked, etcd.certificatesDir()));
        } catch (EtcdCallException | HostException e) {
            return unreachable("etcd cannot be asked about this machine's member", e.getMessage());
        }
        try (members) {
            OwnMemberRemoval exit =
                    new OwnMemberRemoval(members, etcd, data, journal, machine.waiter(), out);
            Optional<RemovalState> elsewhere = servesElsewhere(members, etcd);
            if (elsewhere.isPresent()) {
                return elsewhere.get();
            }
            RemovalState state = exit.preview(LIMIT);
            if (state.isBlockedBy(Reason.UNREACHABLE)) {
                state = data.whereNobodyAnswers(etcd, state);
            }
            if (state instanceof RemovalState.Removed) {
                out.step(AREA, "etcd has never started here: there is no cluster to leave");
                return state;
            }
            if (!(state instanceof RemovalState.Allowed(RemovalPlan plan, Optional<String> id))) {
                return options.force() || options.lastMemberNamed()
                        ? exit.unlessNeeded(state)
                        : state;
            }
            if (plan instanceof RemovalPlan.LastMember(Member last) && !options.forceLastMember()) {
                return endsCluster(last);
            }
            return switch (act) {
                case LOOK -> state;
                case LEAVE -> Uninterrupted.call(() -> leave(journal, exit, id));
                case END -> Uninterrupted.call(() -> end(members, etcd, journal, exit, plan));
            };
        }
    }

    private static RemovalState unreachable(String what, String why) {
        return new RemovalState.Blocked(
                Reason.UNREACHABLE,
                new Problem(
                        what,
                        why,
                        "see on another machine whether the member is listed (\"kjadm etcd member list\")"));
    }

    /** One that follows a leader is a member of a cluster that lives, whoever else is asked. */
    private Optional<RemovalState> servesElsewhere(EtcdCluster members, LocalEtcdState etcd) {
        if (options.asked().isEmpty()) {
            return Optional.empty();
        }
        try {
            Set<String> asked = EtcdHealth.ask(members).clusterIds();
            return etcd.ownStatus(members)
                    .filter(own -> !own.leaderId().isNone() && !asked.contains(own.clusterId()))
                    .<RemovalState>map(
                            own -> RemovalState.blocked(
                                    Reason.OTHER_CLUSTER,
                                    "this machine's member %s follows a leader"
                                            .formatted(own.memberId()),
                                    "it is of cluster %s, and those that are asked are of %s"
                                            .formatted(own.clusterId(), String.join(", ", asked)),
                                    "leave out --endpoints, so that it leaves its own cluster; if that is the one to be given up, stop etcd on its machines first"));
        } catch (EtcdCallException e) {
            // who does not answer is waited for
            return Optional.empty();
        }
    }

    /** The last member stays for now. */
    private RemovalState leave(
            ResetJournal journal, OwnMemberRemoval exit, Optional<String> clusterId) {
        journal.begin(exit.memberId(), clusterId);
        RemovalState left = exit.leave(LIMIT);
        return left instanceof RemovalState.Allowed(RemovalPlan.LastMember(Member last), var _)
                        && !options.forceLastMember()
                ? endsCluster(last)
                : left;
    }

    /** Looks again behind the snapshot: a machine may have joined since the lock was given back. */
    private RemovalState end(
            EtcdCluster members,
            LocalEtcdState etcd,
            ResetJournal journal,
            OwnMemberRemoval exit,
            RemovalPlan plan) {
        if (!(plan instanceof RemovalPlan.LastMember(Member last))) {
            return OwnMemberRemoval.anotherHasJoined();
        }
        out.warn("etcd member %s is the only voter: the cluster ends with it"
                .formatted(last.describe()));
        cleanUp.finalSnapshot(journal).take(members, last, etcd);
        return exit.end(LIMIT);
    }

    private static RemovalState endsCluster(Member last) {
        return new RemovalState.Blocked(
                Reason.NEEDED_FOR_QUORUM,
                new Problem(
                        "%s is the only voter of its cluster".formatted(last.describe()),
                        "the cluster ends with it",
                        "if that is meant, run 'kjadm etcd reset --force-last-member': a snapshot is kept"));
    }
}
