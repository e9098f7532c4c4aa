package io.kjadm.core.etcd.host;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdMetricsUrl;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.UnitWatch;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.Services;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.core.value.SystemdWords;
import io.kjadm.etcd.join.StartProblem;
import io.kjadm.manifests.StandaloneEtcd;
import io.kjadm.manifests.StandaloneEtcd.InitialCluster;

import java.net.Inet6Address;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * etcd as a service of this machine: its files, its start and its end. All may be repeated.
 */
public final class SystemdEtcd implements EtcdHost {

    private static final String SERVICE = StandaloneEtcd.UNIT;
    private static final Duration STOP_LIMIT = Duration.ofMinutes(2);
    private static final Duration INTERVAL = Duration.ofMillis(500);
    /** A check that asks a store takes some seconds. */
    private static final int CHECK_LOOKS = 20;

    private final Machine machine;
    private final HostFiles files;
    private final Services services;
    private final Waiter waiter;
    private final EtcdHostPaths paths;

    public SystemdEtcd(Machine machine, EtcdHostPaths paths) {
        this.machine = machine;
        this.files = machine.files();
        this.services = machine.services();
        this.waiter = machine.waiter();
        this.paths = paths;
    }

    @Override
    public Machine machine() {
        return machine;
    }

    /** Where its files are. */
    public EtcdHostPaths paths() {
        return paths;
    }

    /** Whether there is a member of a standalone etcd, be it a part of one. */
    public boolean known() {
        return StandaloneEtcdState.look(files, paths).isPresent();
    }

    @Override
    public LocalEtcdState state() {
        return StandaloneEtcdState.look(files, paths).orElseThrow(this::unknown);
    }

    /**
     * The state of a member that was set up as a whole.
     *
     * @throws HostException if there is none
     */
    public LocalEtcdState configuredState() {
        return StandaloneEtcdState.look(files, paths)
                .filter(LocalEtcdState::manifest)
                .orElseThrow(this::unknown);
    }

    private HostException unknown() {
        return new HostException(
                "no etcd member is known on this machine",
                "there is no " + paths.environment(),
                "run this on a machine that has a member; 'kjadm etcd join' resumes an interrupted join");
    }

    /** What this program remembers of the member; nothing of one that another program set up. */
    public Optional<MemberRecord> record() {
        return new MemberFile(files, paths).read();
    }

    /** The member that another program has set up here; empty if this one has, or there is none. */
    public Optional<ForeignMember> foreign() {
        boolean own = record().isPresent()
                || new JournalFile(files, paths.stateDir()).read().isPresent();
        return configured() && !own
                ? Optional.of(new ForeignMember(files, paths))
                : Optional.empty();
    }

    /** Notes the member that is being made, unless that was noted before. */
    public void remember(MemberRecord record) {
        if (record().filter(record::equals).isEmpty()) {
            // a reset that was killed when only this was left is not about the member to come
            files.delete(paths.stateDir().resolve("reset.json"));
            new MemberFile(files, paths).write(record);
        }
    }

    /** Notes that the member serves. */
    public void finished(MemberRecord record) {
        new MemberFile(files, paths).write(record.asFinished());
        files.deleteTree(paths.restoreDir());
    }

    /**
     * Refuses a member that an interrupted command has set up in part.
     *
     * @throws HostException if there is one
     */
    public void requireFinished() {
        record().filter(known -> !known.finished()).ifPresent(known -> {
            throw new HostException(
                    "this machine's etcd is not set up as a whole",
                    "a '%s' was interrupted"
                            .formatted(known.founder() ? "kjadm etcd init" : "kjadm etcd join"),
                    "run it again first, or 'kjadm etcd reset'");
        });
    }

    /** Where etcd's programs are. */
    public Path installDir() {
        return record().map(known -> known.settings().directories().install())
                .orElse(EtcdHostPaths.INSTALL_DIR);
    }

    /**
     * etcd's flags, as the file that the unit reads.
     *
     * @throws HostException if it is missing
     */
    public String environment() {
        return files.read(paths.environment())
                .orElseThrow(() -> new HostException(
                        "%s is missing".formatted(paths.environment()),
                        "etcd's flags are in it",
                        "restore it, then run the same command again"));
    }

    private Map<String, String> variables() {
        return files.read(paths.environment())
                .map(StandaloneEtcdState::variables)
                .orElse(Map.of());
    }

    @Override
    public String initialCluster() {
        return variables().getOrDefault("INITIAL_CLUSTER", "");
    }

    /** API servers that use it are elsewhere. */
    @Override
    public Optional<Path> kubeconfig() {
        return Optional.empty();
    }

    @Override
    public Path restoreDir() {
        return paths.restoreDir();
    }

    @Override
    public Path lineage() {
        return paths.lineage();
    }

    @Override
    public URI metrics() {
        boolean ipv6 = record().filter(known -> known.settings().address() instanceof Inet6Address)
                .isPresent();
        return EtcdMetricsUrl.of(Optional.ofNullable(variables().get("LISTEN_METRICS_URLS")), ipv6)
                .resolve("/metrics");
    }

    @Override
    public String logHint() {
        return "see 'journalctl -u etcd' and 'systemctl status etcd'";
    }

    /** Sees why it does not come up. */
    public UnitWatch watch() {
        return new UnitWatch(services, SERVICE);
    }

    /** Why it does not come up; before systemd has begun it tells of the previous start. */
    public Optional<StartProblem> startProblem(UnitWatch watch) {
        return active() ? watch.cause() : watch.failure();
    }

    /** Whether a member was set up here, running or not. */
    public boolean configured() {
        return files.exists(paths.environment());
    }

    /** Writes the environment and the unit; whether that changed anything. */
    public boolean configure(MemberSettings settings, InitialCluster cluster) {
        boolean unit = write(
                paths.unit(),
                StandaloneEtcd.unit(
                        paths.environment(), settings.directories(), settings.unitSettings()),
                FileMode.WORLD_READABLE);
        boolean environment = write(
                paths.environment(),
                StandaloneEtcd.environment(new StandaloneEtcd.Input(
                        settings.name(),
                        settings.release(),
                        settings.address(),
                        settings.directories(),
                        cluster)),
                FileMode.WORLD_READABLE);
        return unit || environment;
    }

    private boolean write(Path path, String text, FileMode mode) {
        if (files.read(path).filter(text::equals).isPresent()) {
            return false;
        }
        files.write(path, text, mode);
        return true;
    }

    /**
     * Configures it and starts it, now and at every boot; one that runs with other settings is
     * started anew. Does not wait until it serves.
     */
    public void start(MemberSettings settings, InitialCluster cluster) {
        boolean stale = services.isActive(SERVICE) & configure(settings, cluster);
        files.createDirectory(settings.directories().data(), FileMode.PRIVATE_DIRECTORY);
        enable();
        if (stale) {
            stop();
        }
        done(services.begin(SERVICE));
    }

    /** Has it start, unless it runs. Does not wait until it serves. */
    public void begin() {
        done(services.begin(SERVICE));
    }

    /**
     * The same, and sees whether {@link #checkStart} lets it.
     *
     * @throws HostException if not
     */
    public void beginChecked() {
        begin();
        for (int i = 0; i < CHECK_LOOKS; i++) {
            waiter.pause("etcd", "the check before its start", INTERVAL);
            Map<String, String> unit =
                    services.properties(SERVICE, "ActiveState", "SubState", "Result");
            if ("exec-condition".equals(unit.get("Result"))) {
                throw new HostException(
                        "systemd did not start etcd",
                        "the check before its start has failed",
                        "run 'kjadm etcd auto check'");
            }
            if ("active".equals(unit.get("ActiveState"))) {
                return;
            }
        }
    }

    /** Has it start at every boot. */
    public void enable() {
        done(services.enable(SERVICE));
    }

    /** Whether it runs or is being started. */
    public boolean active() {
        return services.isActive(SERVICE);
    }

    /** Has it end and start again. */
    public void restart() {
        stop();
        done(services.begin(SERVICE));
    }

    /** Stops it, and waits until it has stopped. */
    public void stop() {
        if (!services.exists(SERVICE)) {
            return;
        }
        done(services.stop(SERVICE));
        waiter.until(
                new Await(
                        "etcd",
                        "service %s to stop".formatted(SERVICE),
                        STOP_LIMIT,
                        INTERVAL,
                        "see 'systemctl status %s'".formatted(SERVICE)),
                () -> services.isActive(SERVICE)
                        ? Attempt.notYet("it is still active")
                        : Attempt.done(true));
    }

    /** Stops it for good: it is not started at boot either. */
    public void end() {
        if (services.exists(SERVICE)) {
            stop();
            done(services.disable(SERVICE));
        }
    }

    /**
     * Keeps everything from starting it, boots, units that require it and {@code systemctl start}
     * alike, as long as a file is there or until {@link #release}. A unit below {@code /etc} cannot
     * be masked, and a mask below {@code /run} would count less than it ({@code systemd.unit(5)}).
     */
    public void hold(Path whileThere) {
        boolean changed = write(
                paths.holdDropIn(),
                """
                # An unfinished operation of kjadm is replacing the data of this etcd.
                [Unit]
                AssertPathExists=!%s
                """.formatted(whileThere.toString().replace("%", "%%")),
                FileMode.WORLD_READABLE);
        if (changed) {
            done(services.reload());
        }
    }

    /** Lets it be started again. */
    public void release() {
        if (files.exists(paths.holdDropIn())) {
            files.delete(paths.holdDropIn());
            done(services.reload());
        }
    }

    /**
     * Has a command run before each start, which does not happen if it fails.
     *
     * @param words of the command, with the path of its program first
     */
    public void checkStart(List<String> words, Path dataDir) {
        boolean changed = write(
                paths.startCheckDropIn(),
                """
                # Written by kjadm etcd auto: etcd starts only on its disk, and as a member of its cluster.
                [Unit]
                RequiresMountsFor=%s
                After=local-fs.target remote-fs.target

                [Service]
                ExecCondition=+%s
                """.formatted(
                        dataDir.toString().replace("%", "%%"),
                        words.stream().map(SystemdWords::quoted).collect(Collectors.joining(" "))),
                FileMode.WORLD_READABLE);
        if (changed) {
            done(services.reload());
        }
    }

    /** Has nothing checked before a start. */
    public void uncheckStart() {
        if (files.exists(paths.startCheckDropIn())) {
            files.delete(paths.startCheckDropIn());
            done(services.reload());
        }
    }

    /** Takes the files of {@link #configure} away, of a service that was ended. */
    public void forget() {
        files.delete(paths.holdDropIn());
        files.delete(paths.unit());
        files.delete(paths.environment());
    }

    private static void done(Optional<String> warning) {
        warning.ifPresent(why -> {
            throw new HostException(
                    "service %s of this machine cannot be managed".formatted(SERVICE),
                    why,
                    "find out why with 'systemctl status %s', then run the same command again"
                            .formatted(SERVICE));
        });
    }
}
