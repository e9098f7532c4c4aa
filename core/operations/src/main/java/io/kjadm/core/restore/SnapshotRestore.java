package io.kjadm.core.restore;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.DataDirBackup;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.etcd.DataInUse;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.MemberMarker;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.RestoreStep;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.core.restore.DataInPlace.Found;
import io.kjadm.core.restore.ServedData.Answer;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.join.StartProblem;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Puts a snapshot back on a machine with an etcd, which becomes the only member of a cluster that
 * begins anew: the ID of the old one is gone, so that no member of it can ever meet this one. The
 * data that were there are kept. A kill or a power cut anywhere, the same command again, and it
 * goes on.
 */
public final class SnapshotRestore {

    /** What the API servers' watchers may have seen beyond the snapshot, with much to spare. */
    public static final long BUMP_REVISIONS = 1_000_000_000;

    /** The revision of an etcd without any entry. */
    private static final long NOTHING_WRITTEN = 1;

    /** For 8 GiB on a slow disk. */
    public static final Duration MAKING_LIMIT = Duration.ofMinutes(30);

    static final String AREA = "restore";
    private static final String WORK = RestorePlan.WORK;
    private static final int TOKEN_BYTES = 16;
    private static final Duration INTERVAL = Duration.ofMillis(500);
    private static final Duration START_LIMIT = Duration.ofMinutes(10);

    private final Machine machine;
    private final RestoredEtcd etcd;
    private final EtcdClients clients;
    private final RandomGenerator random;
    private final Reporter out;
    private final RestoreJournal journal;

    /**
     * @param random     for the token of the new cluster, so a secure one
     * @param failpoints faults on purpose, or none
     */
    public SnapshotRestore(
            Machine machine,
            RestoredEtcd etcd,
            EtcdClients clients,
            RandomGenerator random,
            Reporter out,
            Failpoints failpoints) {
        this.machine = machine;
        this.etcd = etcd;
        this.clients = clients;
        this.random = random;
        this.out = out;
        this.journal = new RestoreJournal(machine.files(), etcd, failpoints.fuse(machine.waiter()));
    }

    /**
     * Puts back what a restore that did not end has changed: the previous data, and what runs on
     * them. Nothing is deleted: data that the restore made are renamed. May be repeated.
     *
     * @throws HostException if none is under way, etcd serves the restored data already, or the
     *     data in place are of another member, say one that has joined since
     */
    public void undo() {
        RestoreEntry entry = journal.read()
                .orElseThrow(
                        () -> new HostException(
                                "there is nothing to undo",
                                "no restore is in progress on this node",
                                "data that a finished restore has set aside can be moved back by hand while etcd is stopped"));
        if (entry.passed(RestoreStep.SERVING)) {
            throw new HostException(
                    "the restore of %s is not undone".formatted(entry.snapshot()),
                    "etcd serves the restored data, and clients may have written since",
                    "finish it: %s; or restore another snapshot: the data in place are set aside then"
                            .formatted(entry.command()));
        }
        LocalEtcdState node = etcd.host().state();
        DataInPlace inPlace = new DataInPlace(
                machine.files(), node.dataDir(), entry, () -> RestorePlan.member(node));
        requireNotOvertaken(entry, inPlace);
        Found found = inPlace.requireOurs();
        if (entry.passed(RestoreStep.STOPPED)) {
            note(entry.undoing(inPlace.previousIds(), inPlace.made()));
            etcd.withdraw();
            requireUnused(node.dataDir());
            putBack(entry, node.dataDir(), found);
        }
        etcd.putBack();
        machine.files().deleteTree(node.dataDir().resolve(WORK));
        etcd.discard();
        out.step(AREA, etcd.asBefore());
        etcd.awaitOthers();
    }

    private void putBack(RestoreEntry entry, Path dataDir, Found found) {
        DataDirBackup backup = new DataDirBackup(machine.files(), dataDir);
        if (found == Found.MADE) {
            setAside(backup, backup.place("undone", machine.waiter().now()));
        }
        if (found != Found.PREVIOUS) {
            backup.putBack(entry.aside());
        }
    }

    /**
     * Restores it.
     *
     * @throws ClusterException if it could not be; the same command resumes it
     * @throws HostException    if the data in place are of another member
     */
    public void restore(RestorePlan plan) {
        Optional<RestoreEntry> served =
                journal.read().filter(entry -> entry.passed(RestoreStep.SERVING));
        if (served.isPresent() && finish(plan, served.get())) {
            return;
        }
        Path dataDir = plan.node().dataDir();
        RestoreEntry entry = journal.read().orElseGet(() -> first(plan));
        requireNoUndo(entry);
        requireNotOvertaken(entry, inPlace(plan, entry));
        inPlace(plan, entry).require();
        etcd.prepare();
        if (entry.step() == RestoreStep.BEGUN) {
            note(entry);
        }
        Path work = dataDir.resolve(WORK);
        Path snapshot = work.resolve("snapshot.db");
        if (!entry.passed(RestoreStep.FETCHED)) {
            machine.files().createOwnDirectory(work);
            if (!plan.source().ownData()) {
                fetch(plan.source(), snapshot);
            }
            entry = note(entry.at(RestoreStep.FETCHED));
        }
        if (!entry.passed(RestoreStep.STOPPED)) {
            plan.requireEndOfOldCluster();
            etcd.stop();
            requireUnused(dataDir);
            if (plan.source().ownData()) {
                fetch(plan.source(), snapshot);
            }
            entry = note(entry.from(plan.source().revision()).at(RestoreStep.STOPPED));
        }
        if (!entry.passed(RestoreStep.SET_ASIDE)) {
            entry = note(setAside(plan, entry).at(RestoreStep.SET_ASIDE));
        }
        if (!entry.passed(RestoreStep.REBUILT)) {
            long raise = raise(plan, entry);
            rebuild(plan, entry, snapshot, raise);
            requireUnused(dataDir);
            entry = note(
                    entry.from(OptionalLong.of(newest(entry) + raise)).at(RestoreStep.REBUILT));
        }
        if (!entry.passed(RestoreStep.SERVING)) {
            serve(plan, entry);
            lineage().note(inPlace(plan, entry).made(), entry.known().previous(), plan.source());
            entry = note(entry.at(RestoreStep.SERVING));
        }
        complete(plan, entry);
    }

    /**
     * A restore whose data were served: the rest is done, if they are those that are wanted. An
     * etcd that does not respond may be starting, as after a boot; clients may have written to it.
     */
    private boolean finish(RestorePlan plan, RestoreEntry entry) {
        boolean wanted = entry.snapshot().equals(plan.source().name())
                && inPlace(plan, entry).look() == Found.MADE;
        etcd.startOthers();
        if (wanted) {
            awaitServed(plan, entry);
            complete(plan, entry);
            return true;
        }
        machine.files().deleteTree(plan.node().dataDir().resolve(WORK));
        etcd.discard();
        return false;
    }

    private void awaitServed(RestorePlan plan, RestoreEntry entry) {
        try (EtcdCluster cluster = clients.connect(plan.node(), Optional.empty(), out)) {
            ServedData served = served(cluster, plan, entry);
            machine.waiter()
                    .until(
                            new Await(
                                    AREA,
                                    "etcd to serve the restored data again",
                                    START_LIMIT,
                                    INTERVAL,
                                    "%s, then run the same command again; to give these data up, move %s away first"
                                            .formatted(
                                                    etcd.host().logHint(),
                                                    inPlace(plan, entry).place())),
                            served::askAgain);
        }
    }

    /** The journal ends with the data: what is left to wait for needs no other restore. */
    private void complete(RestorePlan plan, RestoreEntry entry) {
        etcd.startOthers();
        machine.files().deleteTree(plan.node().dataDir().resolve(WORK));
        etcd.discard();
        out.step(
                AREA,
                machine.files().exists(entry.aside())
                        ? "The previous data are kept in %s; delete them when they are no longer needed"
                                .formatted(entry.aside())
                        : "There were no previous data");
        etcd.awaitOthers();
        out.step(
                AREA,
                plan.leavesOthers() ? "Restored. " + etcd.othersJoin(plan.node()) : "Restored.");
    }

    private void requireNoUndo(RestoreEntry entry) {
        if (entry.known().undoing()) {
            throw new HostException(
                    "a restore of %s is being undone".formatted(entry.snapshot()),
                    "'--undo' was interrupted",
                    "finish it: kjadm etcd snapshot restore --undo; then restore");
        }
    }

    /** Another program's reset leaves the journal where it is. */
    private void requireNotOvertaken(RestoreEntry entry, DataInPlace inPlace) {
        if (entry.passed(RestoreStep.STOPPED)
                && etcd.runsAgain()
                && inPlace.look() == Found.OTHER) {
            throw new HostException(
                    RestoreReason.SET_UP_SINCE,
                    "this machine was set up again since the restore of %s was interrupted"
                            .formatted(entry.snapshot()),
                    "%s holds the data of another member, and what the restore had stopped is in place"
                            .formatted(inPlace.place()),
                    "leave the member and its data alone, and move %s away; the data from before the restore are kept in %s"
                            .formatted(etcd.host().restoreJournal().getParent(), entry.aside()));
        }
    }

    private DataInPlace inPlace(RestorePlan plan, RestoreEntry entry) {
        return new DataInPlace(machine.files(), plan.node().dataDir(), entry, plan::member);
    }

    private RestoreEntry first(RestorePlan plan) {
        byte[] bytes = new byte[TOKEN_BYTES];
        random.nextBytes(bytes);
        String token = "kjadm-" + HexFormat.of().formatHex(bytes);
        Instant now = machine.waiter().now();
        plan.oldCluster().keepMembers();
        Path dataDir = plan.node().dataDir();
        return new RestoreEntry(
                plan.source().name(),
                plan.command(),
                now,
                token,
                new DataDirBackup(machine.files(), dataDir).place("replaced", now),
                RestoreStep.BEGUN,
                Optional.of(new RestoreEntry.Data(
                        new DataDirReader(machine.files())
                                .idsIn(dataDir.resolve(KubernetesPaths.ETCD_MEMBER)),
                        Optional.of(MadeData.ids(token, plan.member())),
                        Optional.empty(),
                        false)));
    }

    private RestoreEntry note(RestoreEntry entry) {
        journal.write(entry);
        return entry;
    }

    /** No part of a snapshot stays, whatever ends this: it has all Secrets of the cluster. */
    private void fetch(RestoreSource source, Path file) {
        boolean whole = false;
        try {
            source.fetch(machine.files(), file);
            whole = true;
        } finally {
            if (!whole) {
                machine.files().delete(file);
            }
        }
    }

    private void requireUnused(Path dataDir) {
        new DataInUse(machine.files()).by(dataDir).ifPresent(user -> {
            throw new HostException(
                    "the data of etcd are still in use",
                    user,
                    "stop that process, then run the same command again");
        });
    }

    private RestoreEntry setAside(RestorePlan plan, RestoreEntry entry) {
        return setAside(new DataDirBackup(machine.files(), plan.node().dataDir()), entry.aside())
                .map(entry::keptIn)
                .orElse(entry);
    }

    private Optional<Path> setAside(DataDirBackup backup, Path aside) {
        DataDirBackup.Outcome outcome = backup.setAside(aside);
        if (outcome instanceof DataDirBackup.Outcome.Stays(Path data, String why)) {
            throw new HostException(
                    "the data of etcd cannot be set aside",
                    "%s cannot be renamed: %s".formatted(data, why),
                    "move it away, then run the same command again");
        }
        out.step(AREA, "etcd: " + outcome);
        return outcome instanceof DataDirBackup.Outcome.Moved(Path place)
                ? Optional.of(place)
                : Optional.empty();
    }

    /** What an earlier run made is used; what it had only begun to make is made again. */
    private void rebuild(RestorePlan plan, RestoreEntry entry, Path snapshot, long raise) {
        HostFiles files = machine.files();
        DataInPlace inPlace = inPlace(plan, entry);
        if (inPlace.look() == Found.MADE) {
            return;
        }
        RestoredEtcd.Making making = new RestoredEtcd.Making(
                snapshot,
                plan.node().dataDir(),
                plan.member(),
                entry.token(),
                plan.source(),
                raise);
        files.createOwnDirectory(making.work());
        etcd.make(making);
        Path member = making.target().resolve(KubernetesPaths.ETCD_MEMBER);
        inPlace.requireMadeAs(member);
        inPlace.require();
        files.rename(member, inPlace.place());
    }

    /**
     * By how much the revision rises: beyond that of the previous data, too. They may be those of
     * an earlier restore, whose clients have seen revisions far beyond the snapshot's.
     */
    private long raise(RestorePlan plan, RestoreEntry entry) {
        long usual = etcd.raisedBy();
        if (usual == 0) {
            return 0;
        }
        long least = plan.source().raise().orElse(usual);
        OptionalLong previous = out.during(
                AREA,
                "Reading the previous database",
                () -> inPlace(plan, entry).previousRevision());
        return least + Math.max(0, previous.orElse(0) - newest(entry));
    }

    /** etcdutl raises that of the newest entry; an etcd that nothing was written to has none. */
    private static long newest(RestoreEntry entry) {
        long revision = entry.lowestRevision().orElse(NOTHING_WRITTEN);
        return revision == NOTHING_WRITTEN ? 0 : revision;
    }

    private void serve(RestorePlan plan, RestoreEntry entry) {
        plan.requireEndOfOldCluster();
        Supplier<Optional<StartProblem>> problem = etcd.start(plan.member(), entry.token());
        Optional<Answer> answer;
        try (EtcdCluster cluster = clients.connect(plan.node(), Optional.empty(), out)) {
            ServedData served = served(cluster, plan, entry);
            answer = machine.waiter()
                    .until(
                            new Await(
                                    AREA,
                                    "etcd to serve the restored data",
                                    START_LIMIT,
                                    INTERVAL,
                                    etcd.host().logHint() + ", then run the same command again"),
                            () -> {
                                Optional<StartProblem> cause = problem.get();
                                if (cause.isPresent()) {
                                    throw new ClusterException(cause.get().problem());
                                }
                                return served.ask();
                            });
        }
        if (answer.isPresent() && answer.get() instanceof Answer.Other other) {
            etcd.halt();
            throw other.problem();
        }
        MemberMarker.adopt(
                machine.files(), plan.node().dataDir(), machine.waiter().now());
        out.step(
                AREA,
                "etcd serves %s as %s%s"
                        .formatted(
                                plan.source().title(),
                                inPlace(plan, entry).made(),
                                answer.map(served -> ": " + served).orElse("")));
    }

    private ServedData served(EtcdCluster cluster, RestorePlan plan, RestoreEntry entry) {
        LocalEtcdState node = plan.node();
        return new ServedData(
                cluster,
                node.localClientUrls().isEmpty() ? node.ownClientUrls() : node.localClientUrls(),
                inPlace(plan, entry).made(),
                entry.lowestRevision());
    }

    private ClusterLineage lineage() {
        return new ClusterLineage(machine.files(), etcd.host().lineage());
    }
}
