package io.kjadm.core.restore;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.DataDirBackup;
import io.kjadm.core.etcd.DataInUse;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.StaticPodWatch;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.node.HealthProbe;
import io.kjadm.core.node.KubeletCriSocket;
import io.kjadm.core.node.Machine;
import io.kjadm.core.node.ManifestStash;
import io.kjadm.core.node.StaticPodShutdown;
import io.kjadm.core.node.StaticPodText;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.core.restore.RestoreEntry.Step;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.join.StartProblem;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.EtcdRestorePod;
import io.kjadm.manifests.ManifestException;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.manifests.SchedulerPod;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Puts a snapshot back on a control-plane node with a stacked etcd, which becomes the only member
 * of a cluster that begins anew: the ID of the old one is gone, so that no member of it can ever
 * meet this one. The data that were there are kept. A kill or a power cut anywhere, the same
 * command again, and it goes on.
 */
public final class SnapshotRestore {

    /** What the API servers' watchers may have seen beyond the snapshot, with much to spare. */
    public static final long BUMP_REVISIONS = 1_000_000_000;

    private static final String AREA = "restore";
    private static final List<String> COMPONENTS =
            List.of(ApiServerPod.NAME, ControllerManagerPod.NAME, SchedulerPod.NAME, EtcdPod.NAME);
    private static final List<String> RUNNING =
            Stream.concat(COMPONENTS.stream(), Stream.of(EtcdRestorePod.NAME)).toList();
    private static final String WORK = RestorePlan.WORK;
    private static final int TOKEN_BYTES = 16;
    private static final Duration INTERVAL = Duration.ofMillis(500);
    /** For 8 GiB on a slow disk. */
    private static final Duration REBUILD_LIMIT = Duration.ofMinutes(30);

    private static final Duration START_LIMIT = Duration.ofMinutes(10);
    private static final Duration API_LIMIT = Duration.ofMinutes(4);

    private final Machine machine;
    private final KubernetesPaths paths;
    private final EtcdClients clients;
    private final RandomGenerator random;
    private final Reporter out;
    private final ManifestStash stash;
    private final RestoreJournal journal;

    /** @param random for the token of the new cluster, so a secure one */
    public SnapshotRestore(
            Machine machine,
            KubernetesPaths paths,
            EtcdClients clients,
            RandomGenerator random,
            Reporter out) {
        this.machine = machine;
        this.paths = paths;
        this.clients = clients;
        this.random = random;
        this.out = out;
        this.stash = RestorePlan.stash(machine.files(), paths);
        this.journal = new RestoreJournal(machine.files(), stash.journal());
    }

    /**
     * Puts back what a restore that did not end has changed: the former data, and the control plane
     * that runs on them. May be repeated.
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
        LocalEtcdState node = LocalEtcdState.look(files, paths, stash::text, Optional.empty());
        Path dataDir = node.dataDir();
        if (entry.passed(Step.FETCHED)) {
            files.delete(paths.manifest(EtcdRestorePod.NAME));
            COMPONENTS.forEach(stash::withdraw);
            KubeletCriSocket.find(files, paths)
                    .ifPresent(socket -> shutdown().awaitKubelet(socket, RUNNING));
            requireUnused(dataDir);
            new DataDirBackup(files, dataDir).putBack(entry.aside(), dataDir.resolve(WORK));
        }
        COMPONENTS.forEach(stash::putBack);
        files.deleteTree(dataDir.resolve(WORK));
        stash.discard();
        out.step(AREA, "The data and the manifests are as they were before");
        awaitApiServer();
    }

    /**
     * Restores it.
     *
     * @throws ClusterException if it could not be; the same command goes on where it stopped
     */
    public void restore(RestorePlan plan) {
        RestoreSource source = plan.source();
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
            stop(plan);
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
            serve(plan);
            note(entry.at(Step.SERVING));
        }
        startOthers();
        machine.files().deleteTree(work);
        stash.discard();
        tell(entry);
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

    private void stop(RestorePlan plan) {
        out.step(AREA, "Stopping the control plane of this node");
        COMPONENTS.forEach(stash::takeOut);
        shutdown().awaitKubelet(plan.criSocket(), COMPONENTS);
        requireUnused(plan.node().dataDir());
    }

    private StaticPodShutdown shutdown() {
        return new StaticPodShutdown(
                AREA, machine.services(), machine.runtimes(), machine.waiter(), out);
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
        Path made = work.resolve("data");
        if (files.exists(member)) {
            return;
        }
        files.delete(paths.manifest(EtcdRestorePod.NAME));
        shutdown().awaitKubelet(plan.criSocket(), List.of(EtcdRestorePod.NAME));
        files.deleteTree(made);
        files.ownTree(work, files.owner(plan.node().dataDir()));
        String text = etcdManifest();
        out.step(
                AREA,
                "Making etcd's data of %s, with etcdutl of "
                                .formatted(plan.source().title())
                        + StaticPodText.parse(text)
                                .flatMap(StaticPodText::image)
                                .orElse("its image"));
        RestoreContainer container =
                new RestoreContainer(machine.runtimes(), plan.criSocket(), files);
        StaticPodWatch watch = watch(plan, EtcdRestorePod.NAME);
        watch.starts();
        files.write(
                paths.manifest(EtcdRestorePod.NAME),
                pod(text, plan, entry, snapshot, made),
                FileMode.OWNER_ONLY);
        try {
            awaitMade(container, watch);
        } finally {
            files.delete(paths.manifest(EtcdRestorePod.NAME));
        }
        shutdown().awaitKubelet(plan.criSocket(), List.of(EtcdRestorePod.NAME));
        files.rename(made.resolve(KubernetesPaths.ETCD_MEMBER), member);
    }

    private String etcdManifest() {
        return stash.text(EtcdPod.NAME)
                .orElseThrow(() -> new HostException(
                        "the manifest of etcd is gone",
                        "it is neither in %s nor where this restore keeps it"
                                .formatted(paths.manifest(EtcdPod.NAME)),
                        "put it back, then run the same command again"));
    }

    private String pod(
            String etcd, RestorePlan plan, RestoreEntry entry, Path snapshot, Path made) {
        try {
            return ManifestYaml.write(ManifestYaml.tree(EtcdRestorePod.build(
                    etcd,
                    new EtcdRestorePod.Restore(
                            snapshot,
                            made,
                            plan.member(),
                            entry.token(),
                            BUMP_REVISIONS,
                            plan.source().summed()),
                    Long.toHexString(random.nextLong()))));
        } catch (ManifestException e) {
            throw new HostException(
                    "the manifest of etcd cannot be used",
                    e.getMessage(),
                    "mend it, then run the same command again",
                    e);
        }
    }

    private StaticPodWatch watch(RestorePlan plan, String component) {
        return new StaticPodWatch(
                component,
                machine.runtimes(),
                plan.criSocket(),
                machine.files(),
                paths.manifest(component),
                machine.services(),
                machine.waiter());
    }

    private void awaitMade(RestoreContainer container, StaticPodWatch watch) {
        machine.waiter()
                .until(
                        new Await(
                                AREA,
                                "etcdutl to make the data",
                                REBUILD_LIMIT,
                                INTERVAL,
                                "see the kubelet's log (journalctl -xeu kubelet), then run the same command again"),
                        () -> {
                            Optional<StartProblem> cause = watch.cause();
                            if (cause.isPresent()) {
                                throw new ClusterException(cause.get().problem());
                            }
                            return container.ended()
                                    ? Attempt.done(true)
                                    : Attempt.notYet("it is at work");
                        });
    }

    private void serve(RestorePlan plan) {
        StaticPodWatch watch = watch(plan, EtcdPod.NAME);
        watch.starts();
        machine.files()
                .write(
                        paths.manifest(EtcdPod.NAME),
                        EtcdRestorePod.alone(etcdManifest(), plan.member()),
                        FileMode.OWNER_ONLY);
        try (EtcdCluster cluster = clients.connect(plan.node(), Optional.empty(), out)) {
            machine.waiter()
                    .until(
                            new Await(
                                    AREA,
                                    "etcd to serve the restored data",
                                    START_LIMIT,
                                    INTERVAL,
                                    "read the log of its container (crictl --runtime-endpoint %s ps -a), then run the same command again"
                                            .formatted(plan.criSocket())),
                            () -> {
                                Optional<StartProblem> cause = watch.cause();
                                if (cause.isPresent()) {
                                    throw new ClusterException(cause.get().problem());
                                }
                                return serving(cluster, plan);
                            });
        }
        out.step(
                AREA,
                "etcd serves %s%s"
                        .formatted(
                                plan.source().title(),
                                plan.source().revision().stream()
                                        .mapToObj(revision -> ": revision %d and above"
                                                .formatted(revision + BUMP_REVISIONS))
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

    private void startOthers() {
        COMPONENTS.stream()
                .filter(component -> !component.equals(EtcdPod.NAME))
                .forEach(stash::putBack);
        awaitApiServer();
    }

    private void awaitApiServer() {
        Optional<URI> ready = machine.files()
                .read(paths.manifest(ApiServerPod.NAME))
                .flatMap(StaticPodText::parse)
                .flatMap(SnapshotRestore::readiness);
        if (ready.isEmpty()) {
            return;
        }
        machine.waiter()
                .until(
                        new Await(
                                AREA,
                                "the API server of this node to be ready",
                                API_LIMIT,
                                INTERVAL,
                                "list the containers with 'crictl ps -a' and read the log of the one that fails"),
                        () -> {
                            String problem = machine.health().ask(ready.get());
                            return problem.isEmpty() ? Attempt.done(true) : Attempt.notYet(problem);
                        });
        out.step(AREA, "The API server of this node is ready");
    }

    private static Optional<URI> readiness(StaticPodText apiServer) {
        return apiServer
                .flag("advertise-address")
                .map(address -> HealthProbe.url(
                        "https",
                        address,
                        apiServer.flag("secure-port").map(Integer::parseInt).orElse(6443),
                        "/readyz"));
    }

    private void tell(RestoreEntry entry) {
        out.step(
                AREA,
                machine.files().exists(entry.aside())
                        ? "Restored. The former data are kept in %s; remove them when all is well"
                                .formatted(entry.aside())
                        : "Restored. There were no former data");
        out.step(
                AREA,
                "Other control-plane nodes have to join anew, one after the other: there 'kjadm reset --force', here 'kubectl delete node NAME', then there what 'kjadm token create --print-join-command --certificate-key KEY' prints here, with the KEY of 'kjadm init phase upload-certs --upload-certs'");
    }
}
