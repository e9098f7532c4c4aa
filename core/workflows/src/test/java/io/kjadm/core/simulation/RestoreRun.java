package io.kjadm.core.simulation;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.Owner;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.Member;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** One run of a command on a machine: what production's classes see of it, until it dies. */
final class RestoreRun {

    /** After so long it is in less of a hurry, which spares most of the looks. */
    private static final long BRISK = 10_000;

    private static final long LEISURELY = 2_000;

    final RestoreMachine host;
    final Program program;
    private final RestoreSimulation play;
    private final int boot;
    private boolean dead;
    /** The machines that this run has asked in its last look, and whether one was seen to run. */
    final Map<Integer, Boolean> seen = new ConcurrentHashMap<>();
    /** Whether this machine's member followed a leader when it last said something. */
    Optional<RestoreMachine.Led> led;
    /** Whether that said something in this run. */
    boolean saw;
    /** Whom members and API servers have listed in this run, and before it the data here. */
    final Set<String> listed = new HashSet<>();
    /** Those that the operator gives up. */
    Set<Integer> given = Set.of();
    /** Whether it resumes an earlier one. */
    boolean resumes;

    RestoreRun(RestoreSimulation play, RestoreMachine host, Program program) {
        this.play = play;
        this.host = host;
        this.program = program;
        this.boot = host.boots;
        this.led = host.refusedFor;
        listed.addAll(host.lists());
    }

    void listed(List<Member> members) {
        members.forEach(member -> listed.add(member.name()));
    }

    /** This machine's member says something. */
    void saw(RestoreMachine.Serving etcd) {
        saw = true;
        led = etcd.led && etcd.voters().size() > 1
                ? Optional.of(new RestoreMachine.Led(play.instant(), host.clockMillis))
                : Optional.empty();
    }

    private void requireLife() {
        if (dead || !host.powered || host.boots != boot) {
            throw die();
        }
        program.point();
    }

    private Killed die() {
        dead = true;
        return new Killed(Killed.NEVER, false);
    }

    /** Something on the machine is about to change. */
    private void change(Runnable change) {
        requireLife();
        host.changes++;
        if (host.changes == host.killAt) {
            play.log(host, "kjadm is killed");
            throw die();
        }
        if (host.changes == host.powerCutAt) {
            play.log(host, "the power goes");
            host.cutPower();
            throw die();
        }
        change.run();
        host.kubelet.changed();
    }

    void pass(long millis) {
        requireLife();
        program.pass(millis);
        requireLife();
    }

    Instant now() {
        return host.time(play.instant());
    }

    /** Whether the journal of a restore tells that etcd was stopped. */
    boolean stopped() {
        return host.files
                .read(RestoreMachine.PATHS.tmpDir().resolve("kjadm-restore/journal.json"))
                .filter(text -> !text.contains("\"BEGUN\"") && !text.contains("\"FETCHED\""))
                .isPresent();
    }

    // ---- ports

    Machine machine() {
        return new Machine(files(), commands(), new Runtime(), this::health, waiter(), waiter());
    }

    private String health(URI url) {
        return host.kubelet.runsPod("kube-apiserver") ? "" : "connection refused to " + url;
    }

    HostFiles files() {
        return new Disk(play.missing.seen(host.files));
    }

    /** Files that this run changes as long as it lives. */
    private final class Disk extends ForwardingFiles {

        private final HostFiles real;

        Disk(HostFiles real) {
            super(real);
            this.real = real;
        }

        @Override
        public void write(Path path, byte[] content, FileMode mode) {
            change(() -> {
                if (path.equals(RestoreMachine.PATHS.manifest("etcd"))) {
                    play.foundings.starts(RestoreRun.this);
                }
                super.write(path, content, mode);
            });
        }

        @Override
        public void append(Path path, String text) {
            change(() -> super.append(path, text));
        }

        @Override
        public void own(Path file, Owner owner, FileMode mode) {
            change(() -> super.own(file, owner, mode));
        }

        @Override
        public void createDirectory(Path path, FileMode mode) {
            if (!real.exists(path)) {
                change(() -> super.createDirectory(path, mode));
            }
        }

        @Override
        public void delete(Path path) {
            if (real.exists(path)) {
                change(() -> super.delete(path));
            }
        }

        @Override
        public void deleteContents(Path directory) {
            change(() -> super.deleteContents(directory));
        }

        @Override
        public void deleteTree(Path path) {
            if (real.exists(path)) {
                change(() -> super.deleteTree(path));
            }
        }

        @Override
        public void rename(Path from, Path to) {
            change(() -> super.rename(from, to));
        }
    }

    Waiter waiter() {
        return new Waiter() {
            @Override
            public <T> Optional<T> until(Await await, Supplier<Attempt<T>> question) {
                long waited = 0;
                while (true) {
                    switch (question.get()) {
                        case Attempt.Done<T>(T value) -> {
                            return Optional.of(value);
                        }
                        case Attempt.NotYet<T>(String answer, Duration atLeast) -> {
                            if (waited >= await.limit().toMillis()) {
                                throw new ClusterException(
                                        "gave up waiting for " + await.what(),
                                        "the last answer was: " + answer,
                                        await.next());
                            }
                            long pause = Math.max(
                                    Math.max(await.interval().toMillis(), atLeast.toMillis()),
                                    waited < BRISK ? 0 : LEISURELY);
                            pass(pause);
                            waited += pause;
                        }
                    }
                }
            }

            @Override
            public void pause(String area, String reason, Duration duration) {
                pass(duration.toMillis());
            }

            @Override
            public Instant now() {
                return RestoreRun.this.now();
            }
        };
    }

    private CommandRunner commands() {
        return new CommandRunner() {
            @Override
            public Output run(List<String> command, Duration limit) {
                requireLife();
                if (command.contains("is-active")) {
                    return new Output(
                            host.kubeletRuns ? 0 : 3,
                            host.kubeletRuns ? "active\n" : "inactive\n",
                            "");
                }
                return new Output(0, "", "");
            }

            @Override
            public boolean isInstalled(String program) {
                return program.equals("systemctl");
            }
        };
    }

    /** The containers of the machine. */
    private final class Runtime extends SimulatedRuntime {

        @Override
        public List<Container> containers() {
            requireLife();
            return host.kubelet.containers();
        }

        @Override
        public Optional<Exit> exitOf(String id) {
            return host.kubelet.exitOf(id);
        }

        @Override
        public void stopContainer(String id, Duration grace) {
            pass(200);
            host.kubelet.stop(id);
        }

        @Override
        public void stopSandbox(String id) {
            stopContainer(id.replace("sandbox-of-", ""), Duration.ZERO);
        }

        @Override
        public void removeSandbox(String id) {
            requireLife();
        }

        @Override
        public void pull(String image) {
            requireLife();
        }
    }

    /** The API server behind the load balancer, as far as it lists etcd's pods. */
    KubeApi api() {
        return new ApiServer();
    }

    private final class ApiServer implements KubeApi {

        @Override
        public <T extends HasMetadata> List<T> list(
                Class<T> type, String namespace, Map<String, String> labels) {
            requireLife();
            return play.network.etcdPods(RestoreRun.this, type);
        }

        @Override
        public <T extends HasMetadata> Optional<T> get(
                Class<T> type, String namespace, String name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T extends HasMetadata> T create(T object) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T extends HasMetadata> T replace(T object) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T extends HasMetadata> T patch(
                Class<T> type, String namespace, String name, UnaryOperator<T> change) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T extends HasMetadata> void delete(Class<T> type, String namespace, String name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public String raw(String path) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            // nothing is open
        }
    }

    Reporter out() {
        return new QuietReporter(line -> play.log(host, line));
    }
}
