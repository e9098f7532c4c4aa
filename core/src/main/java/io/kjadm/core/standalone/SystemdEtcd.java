package io.kjadm.core.standalone;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.Services;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.manifests.StandaloneEtcd;
import io.kjadm.manifests.StandaloneEtcd.InitialCluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** etcd as a service of this machine: its files, its start and its end. All may be repeated. */
final class SystemdEtcd {

    private static final String SERVICE = StandaloneEtcd.UNIT;
    private static final Duration STOP_LIMIT = Duration.ofMinutes(2);
    private static final Duration INTERVAL = Duration.ofMillis(500);

    private final HostFiles files;
    private final Services services;
    private final Waiter waiter;
    private final EtcdHostPaths paths;

    SystemdEtcd(HostFiles files, Services services, Waiter waiter, EtcdHostPaths paths) {
        this.files = files;
        this.services = services;
        this.waiter = waiter;
        this.paths = paths;
    }

    /** Whether a member was set up here, running or not. */
    boolean configured() {
        return files.exists(paths.environment());
    }

    /** Writes the environment and the unit; whether that changed anything. */
    boolean configure(MemberSettings settings, InitialCluster cluster) {
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
    void start(MemberSettings settings, InitialCluster cluster) {
        boolean stale = services.isActive(SERVICE) & configure(settings, cluster);
        files.createDirectory(settings.directories().data(), FileMode.PRIVATE_DIRECTORY);
        enable();
        if (stale) {
            stop();
        }
        done(services.begin(SERVICE));
    }

    /** Has it start, unless it runs. Does not wait until it serves. */
    void begin() {
        done(services.begin(SERVICE));
    }

    /** Has it start at every boot. */
    void enable() {
        done(services.enable(SERVICE));
    }

    /** Whether it runs or is being started. */
    boolean active() {
        return services.isActive(SERVICE);
    }

    /** Has it end and start again. */
    void restart() {
        stop();
        done(services.begin(SERVICE));
    }

    /** Stops it, and waits until it has stopped. */
    void stop() {
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
    void end() {
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
    void hold(Path whileThere) {
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
    void release() {
        if (files.exists(paths.holdDropIn())) {
            files.delete(paths.holdDropIn());
            done(services.reload());
        }
    }

    /** Takes the files of {@link #configure} away, of a service that was ended. */
    void forget() {
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
