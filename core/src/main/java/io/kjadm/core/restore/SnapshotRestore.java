package io.kjadm.core.restore;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.DataDirBackup;
import io.kjadm.core.etcd.DataInUse;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.node.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.core.restore.RestoreEntry.Step;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.join.StartProblem;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
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

    /** @param random for the token of the new cluster, so a secure one */
    public SnapshotRestore(
            Machine machine,
            RestoredEtcd etcd,
            EtcdClients clients,
            RandomGenerator random,
            Reporter out) {
        this.machine = machine;
        this.etcd = etcd;
        this.clients = clients;
        this.random = random;
        this.out = out;
        this.journal = new RestoreJournal(machine.files(), etcd);
    }

    /**
     * Puts back what a restore that did not end has changed: the former data, and what runs on
     * them. May be repeated.
     *
     * @throws HostException if none is under way, or etcd serves the restored data already
     */
    public void undo() {
        RestoreEntry entry = journal.read()
                .orElseThrow(
                        () -> new HostException(
                                "there is nothing to undo",
                                "no restore is under way on this node",
                                "data that a finished restore has set aside can be moved back by hand while etcd is stopped"));
        if (entry.passed(Step.SERVING)) {
            throw new HostException(
                    "the restore of %s is not undone".formatted(entry.snapshot()),
                    "etcd serves the restored data, and clients may have written since",
                    "finish it: " + entry.command());
        }
        HostFiles files = machine.files();
        Path dataDir = etcd.look().dataDir();
        if (entry.passed(Step.FETCHED)) {
            etcd.withdraw();
            requireUnused(dataDir);
            new DataDirBackup(files, dataDir).putBack(entry.aside(), dataDir.resolve(WORK));
        }
        etcd.putBack();
        files.deleteTree(dataDir.resolve(WORK));
        etcd.discard();
        out.step(AREA, etcd.asBefore());
        etcd.awaitOthers();
    }

    /**
     * Restores it.
     *
     * @throws ClusterException if it could not be; the same command goes on where it stopped
     */
    public void restore(RestorePlan plan) {
        RestoreSource source = plan.source();
        etcd.prepare();
        RestoreEntry entry = journal.read().orElseGet(() -> begin(plan));
        Path work = plan.node().dataDir().resolve(WORK);
        Path snapshot = work.resolve("snapshot.db");
        if (!entry.passed(Step.FETCHED)) {
            machine.files().createDirectory(work, FileMode.PRIVATE_DIRECTORY);
            if (!source.ownData()) {
                source.fetch(machine.files(), snapshot);
            }
            entry = note(entry.at(Step.FETCHED));
        }
        if (!entry.passed(Step.STOPPED)) {
            etcd.stop();
            requireUnused(plan.node().dataDir());
            if (source.ownData()) {
                source.fetch(machine.files(), snapshot);
            }
            entry = note(entry.at(Step.STOPPED));
        }
        if (!entry.passed(Step.SET_ASIDE)) {
            entry = note(setAside(plan, entry).at(Step.SET_ASIDE));
        }
        if (!entry.passed(Step.REBUILT)) {
            rebuild(plan, entry, work, snapshot);
            entry = note(entry.at(Step.REBUILT));
        }
        if (!entry.passed(Step.SERVING)) {
            serve(plan, entry);
            note(entry.at(Step.SERVING));
        }
        etcd.startOthers();
        machine.files().deleteTree(work);
        etcd.discard();
        tell(plan, entry);
    }

    private RestoreEntry begin(RestorePlan plan) {
        byte[] token = new byte[TOKEN_BYTES];
        random.nextBytes(token);
        Instant now = machine.waiter().now();
        return note(new RestoreEntry(
                plan.source().name(),
                plan.source().command(),
                now,
                "kjadm-" + HexFormat.of().formatHex(token),
                new DataDirBackup(machine.files(), plan.node().dataDir()).place("replaced", now),
                Step.BEGUN));
    }

    private RestoreEntry note(RestoreEntry entry) {
        journal.write(entry);
        return entry;
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
        DataDirBackup.Outcome outcome =
                new DataDirBackup(machine.files(), plan.node().dataDir()).setAside(entry.aside());
        if (outcome instanceof DataDirBackup.Outcome.Stays(Path data, String why)) {
            throw new HostException(
                    "the former data of etcd cannot be set aside",
                    "%s cannot be renamed: %s".formatted(data, why),
                    "move it away, then run the same command again");
        }
        out.step(AREA, "etcd: " + outcome);
        return outcome instanceof DataDirBackup.Outcome.Moved(Path place)
                ? entry.keptIn(place)
                : entry;
    }

    /** What an earlier run had begun to make is made anew; what it has made is in its place. */
    private void rebuild(RestorePlan plan, RestoreEntry entry, Path work, Path snapshot) {
        HostFiles files = machine.files();
        Path member = plan.node().dataDir().resolve(KubernetesPaths.ETCD_MEMBER);
        if (files.exists(member)) {
            return;
        }
        Path made = work.resolve("data");
        etcd.make(new RestoredEtcd.Making(
                snapshot, made, plan.member(), entry.token(), plan.source()));
        files.rename(made.resolve(KubernetesPaths.ETCD_MEMBER), member);
    }

    private void serve(RestorePlan plan, RestoreEntry entry) {
        Supplier<Optional<StartProblem>> problem = etcd.start(plan.member(), entry.token());
        try (EtcdCluster cluster = clients.connect(plan.node(), Optional.empty(), out)) {
            machine.waiter()
                    .until(
                            new Await(
                                    AREA,
                                    "etcd to serve the restored data",
                                    START_LIMIT,
                                    INTERVAL,
                                    etcd.whereItsLogIs() + ", then run the same command again"),
                            () -> {
                                Optional<StartProblem> cause = problem.get();
                                if (cause.isPresent()) {
                                    throw new ClusterException(cause.get().problem());
                                }
                                return serving(cluster, plan);
                            });
        }
        long raised = etcd.raisedBy();
        out.step(
                AREA,
                "etcd serves %s%s"
                        .formatted(
                                plan.source().title(),
                                plan.source().revision().stream()
                                        .mapToObj(revision -> ": revision %d and above"
                                                .formatted(revision + raised))
                                        .findFirst()
                                        .orElse("")));
    }

    /** Its list is linearizable: a leader has answered. */
    private static Attempt<Boolean> serving(EtcdCluster cluster, RestorePlan plan) {
        try {
            List<Member> members = cluster.members();
            return members.size() == 1
                            && members.getFirst().name().equals(plan.member().name())
                    ? Attempt.done(true)
                    : Attempt.notYet("it lists " + members);
        } catch (EtcdCallException e) {
            return Attempt.notYet(e.text());
        }
    }

    private void tell(RestorePlan plan, RestoreEntry entry) {
        out.step(
                AREA,
                machine.files().exists(entry.aside())
                        ? "Restored. The former data are kept in %s; remove them when all is well"
                                .formatted(entry.aside())
                        : "Restored. There were no former data");
        out.step(AREA, etcd.othersJoin(plan.node()));
    }
}
