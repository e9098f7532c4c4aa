package io.kjadm.core.standalone;

import io.kjadm.core.error.Causes;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.EtcdVersion;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Puts etcd's programs on this machine: those that are there in the right version stay, else they
 * come out of a file that the operator names, the cache, or the release server, by way of the
 * {@link ReleaseCache}.
 */
public final class ReleaseInstaller implements EtcdPrograms {

    private static final String AREA = "download";
    private static final List<String> NEEDED = List.of("etcd", "etcdctl");
    /** With etcdutl, which came with 3.5; etcd comes last, as it tells which release is installed. */
    private static final List<String> PROGRAMS = List.of("etcdutl", "etcdctl", "etcd");

    private static final Duration VERSION_LIMIT = Duration.ofSeconds(20);

    private final HostFiles files;
    private final CommandRunner runner;
    private final ReleaseCache cache;

    public ReleaseInstaller(
            HostFiles files, CommandRunner runner, ReleaseServer server, EtcdHostPaths paths) {
        this(files, runner, server, paths, ReleaseSums.pinned());
    }

    ReleaseInstaller(
            HostFiles files,
            CommandRunner runner,
            ReleaseServer server,
            EtcdHostPaths paths,
            ReleaseSums pinned) {
        this.files = files;
        this.runner = runner;
        this.cache = new ReleaseCache(files, server, paths.cacheDir(), pinned);
    }

    @Override
    public void install(
            EtcdVersion version, Path installDir, EtcdRunOptions options, Reporter out) {
        Optional<String> installed = installed(runner, files, installDir);
        if (installed.filter(version.toString()::equals).isPresent()) {
            out.step(AREA, "Using etcd %s in %s".formatted(version, installDir));
            return;
        }
        EtcdRelease release = EtcdRelease.here(version);
        Path archive = cache.archive(release, options, out);
        requirePrograms(archive);
        installed.ifPresent(
                other -> out.step(AREA, "Replacing etcd %s in %s".formatted(other, installDir)));
        for (String name : PROGRAMS) {
            // one by one, as all are too much for the heap
            program(archive, name)
                    .ifPresent(content ->
                            files.write(installDir.resolve(name), content, FileMode.EXECUTABLE));
        }
        String now = installed(runner, files, installDir).orElse("");
        requireVersion(installDir.resolve("etcd"), version, now);
        out.step(AREA, "Installed etcd %s in %s".formatted(version, installDir));
    }

    @Override
    public Release unpack(
            EtcdVersion version, Path installDir, EtcdRunOptions options, Reporter out) {
        Path archive = cache.archive(EtcdRelease.here(version), options, out);
        requirePrograms(archive);
        Path trial = installDir.resolve(".etcd-" + version);
        try {
            files.write(trial, program(archive, "etcd").orElseThrow(), FileMode.EXECUTABLE);
            requireVersion(trial, version, told(runner, trial).orElse(""));
        } finally {
            files.delete(trial);
        }
        return name -> program(archive, name);
    }

    private Optional<byte[]> program(Path archive, String name) {
        try (InputStream content = files.open(archive)) {
            return ReleaseArchive.file(content, name);
        } catch (IOException e) {
            throw unusable(archive, e);
        }
    }

    @Override
    public Optional<EtcdVersion> installed(Path installDir) {
        return installedVersion(runner, files, installDir);
    }

    static Optional<EtcdVersion> installedVersion(
            CommandRunner runner, HostFiles files, Path installDir) {
        return installed(runner, files, installDir).flatMap(text -> {
            try {
                return Optional.of(EtcdVersion.parse(text));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        });
    }

    private static void requireVersion(Path program, EtcdVersion version, String now) {
        if (!now.equals(version.toString())) {
            throw new HostException(
                    "%s does not run as etcd %s".formatted(program, version),
                    now.isEmpty() ? "it reports no version" : "it is version " + now,
                    now.isEmpty()
                            ? "check that the archive is for this machine's processor, and that %s is not mounted noexec"
                                    .formatted(program.getParent())
                            : "name an archive of etcd %s with --%s"
                                    .formatted(version, Flag.ETCD_TARBALL));
        }
    }

    @Override
    public Path fetch(EtcdVersion version, EtcdRunOptions options, Reporter out) {
        return cache.archive(EtcdRelease.here(version), options, out);
    }

    /** The version of the etcd in a directory, if it has all programs and they run. */
    static Optional<String> installed(CommandRunner runner, HostFiles files, Path installDir) {
        if (!NEEDED.stream().map(installDir::resolve).allMatch(files::exists)) {
            return Optional.empty();
        }
        return told(runner, installDir.resolve("etcd"));
    }

    private static Optional<String> told(CommandRunner runner, Path etcd) {
        try {
            return runner.run(List.of(etcd.toString(), "--version"), VERSION_LIMIT)
                    .stdout()
                    .lines()
                    .filter(line -> line.startsWith("etcd Version: "))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst();
        } catch (HostException e) {
            return Optional.empty();
        }
    }

    private void requirePrograms(Path archive) {
        try (InputStream content = files.open(archive)) {
            Set<String> found = ReleaseArchive.names(content, Set.copyOf(NEEDED));
            if (!found.containsAll(NEEDED)) {
                throw new IOException("it lacks etcd or etcdctl");
            }
        } catch (IOException e) {
            throw unusable(archive, e);
        }
    }

    static HostException unusable(Path archive, IOException cause) {
        return new HostException(
                "%s cannot be unpacked".formatted(archive),
                Causes.words(cause),
                "give an archive of an etcd release",
                cause);
    }
}
