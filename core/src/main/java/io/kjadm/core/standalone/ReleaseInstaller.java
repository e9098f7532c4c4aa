package io.kjadm.core.standalone;

import io.kjadm.core.error.Causes;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.EtcdVersion;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Puts etcd's programs on this machine: those that are there in the right version stay, else they
 * come out of a file that the operator names, the cache, or the release server. Nothing is taken
 * out of an archive whose SHA-256 differs from the release's list or from what this program knows.
 */
public final class ReleaseInstaller implements EtcdPrograms {

    private static final String AREA = "download";
    private static final List<String> NEEDED = List.of("etcd", "etcdctl");
    /** With etcdutl, which came with 3.5. */
    private static final Set<String> PROGRAMS = Set.of("etcd", "etcdctl", "etcdutl");

    private static final Duration VERSION_LIMIT = Duration.ofSeconds(20);
    private static final int BUFFER = 1 << 16;

    private final HostFiles files;
    private final CommandRunner runner;
    private final ReleaseServer server;
    private final Path cacheDir;
    private final ReleaseSums pinned;

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
        this.server = server;
        this.cacheDir = paths.cacheDir();
        this.pinned = pinned;
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
        Path archive = archive(release, options, out);
        Map<String, byte[]> programs = programs(archive);
        installed.ifPresent(
                other -> out.step(AREA, "Replacing etcd %s in %s".formatted(other, installDir)));
        programs.forEach((name, content) ->
                files.write(installDir.resolve(name), content, FileMode.EXECUTABLE));
        String now = installed(runner, files, installDir).orElse("");
        requireVersion(installDir.resolve("etcd"), version, now);
        out.step(AREA, "Installed etcd %s in %s".formatted(version, installDir));
    }

    @Override
    public Release unpack(
            EtcdVersion version, Path installDir, EtcdRunOptions options, Reporter out) {
        Path archive = archive(EtcdRelease.here(version), options, out);
        for (String name : NEEDED) {
            if (program(archive, name).isEmpty()) {
                throw unusable(archive, new IOException("it lacks " + name));
            }
        }
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
            return Optional.ofNullable(
                    ReleaseArchive.files(content, Set.of(name)).get(name));
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
                    now.isEmpty() ? "it tells no version" : "it is version " + now,
                    "check that the archive is for this machine's processor, and that %s is not mounted noexec"
                            .formatted(program.getParent()));
        }
    }

    @Override
    public Path fetch(EtcdVersion version, EtcdRunOptions options, Reporter out) {
        return archive(EtcdRelease.here(version), options, out);
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

    private Map<String, byte[]> programs(Path archive) {
        try (InputStream content = files.open(archive)) {
            Map<String, byte[]> found = ReleaseArchive.files(content, PROGRAMS);
            if (!found.keySet().containsAll(NEEDED)) {
                throw new IOException("it lacks etcd or etcdctl");
            }
            return found;
        } catch (IOException e) {
            throw unusable(archive, e);
        }
    }

    private static HostException unusable(Path archive, IOException cause) {
        return new HostException(
                "%s cannot be unpacked".formatted(archive),
                Causes.words(cause),
                "give an archive of an etcd release",
                cause);
    }

    private Path archive(EtcdRelease release, EtcdRunOptions options, Reporter out) {
        if (options.tarball().isPresent()) {
            return given(release, options.tarball().get(), out);
        }
        Path cache = cacheDir.resolve(release.tag());
        Path archive = cache.resolve(release.archive());
        Path sums = cache.resolve(EtcdRelease.SUMS);
        if (files.exists(archive)) {
            verify(release, archive, sum(archive), files.read(sums), false);
            out.step(AREA, "Using %s".formatted(archive));
            return archive;
        }
        out.step(
                AREA,
                "Downloading %s".formatted(release.url(options.releaseUrl(), release.archive())));
        download(release, options, archive, sums);
        out.step(AREA, "SHA-256 of %s is that of the release".formatted(release.archive()));
        return archive;
    }

    private Path given(EtcdRelease release, Path tarball, Reporter out) {
        if (!files.exists(tarball)) {
            throw new HostException(
                    "%s does not exist".formatted(tarball),
                    "it was given with --etcd-tarball",
                    "name an archive of etcd's release " + release.archive());
        }
        Optional<String> sums = files.read(tarball.resolveSibling(EtcdRelease.SUMS));
        verify(release, tarball, sum(tarball), sums, false);
        if (known(release, sums).isEmpty()) {
            out.warn("%s is not verified: neither this program nor a %s beside it knows its SHA-256"
                    .formatted(tarball, EtcdRelease.SUMS));
        }
        return tarball;
    }

    /** The list comes first: an archive of an unlisted release is not downloaded at all. */
    private void download(EtcdRelease release, EtcdRunOptions options, Path archive, Path sums) {
        Path part = archive.resolveSibling("." + archive.getFileName() + ".part");
        try {
            ByteArrayOutputStream list = new ByteArrayOutputStream();
            server.fetch(release.url(options.releaseUrl(), EtcdRelease.SUMS), list);
            String text = list.toString(StandardCharsets.UTF_8);
            files.createDirectory(archive.getParent(), FileMode.OPEN_DIRECTORY);
            files.delete(part);
            files.fill(
                    part,
                    FileMode.WORLD_READABLE,
                    into -> server.fetch(
                            release.url(options.releaseUrl(), release.archive()), into));
            verify(release, part, sum(part), Optional.of(text), true);
            files.write(sums, text, FileMode.WORLD_READABLE);
            files.rename(part, archive);
        } catch (IOException e) {
            throw unreachable(release, options, Causes.words(e), e);
        } catch (HostException e) {
            files.delete(part);
            throw e.getCause() instanceof IOException cause
                    ? unreachable(release, options, Causes.words(cause), e)
                    : e;
        }
    }

    private HostException unreachable(
            EtcdRelease release, EtcdRunOptions options, String why, Exception cause) {
        return new HostException(
                "etcd %s cannot be downloaded from %s"
                        .formatted(release.version(), options.releaseUrl()),
                why,
                "without a way there, put %s and its %s into %s, or name the archive with --etcd-tarball"
                        .formatted(
                                release.archive(),
                                EtcdRelease.SUMS,
                                cacheDir.resolve(release.tag())),
                cause);
    }

    private Optional<String> known(EtcdRelease release, Optional<String> sums) {
        return pinned.of(release.archive())
                .or(() -> sums.map(ReleaseSums::parse).flatMap(list -> list.of(release.archive())));
    }

    private void verify(
            EtcdRelease release, Path archive, String sum, Optional<String> sums, boolean listed) {
        Optional<String> ofRelease =
                sums.map(ReleaseSums::parse).flatMap(list -> list.of(release.archive()));
        if (listed && ofRelease.isEmpty()) {
            throw new HostException(
                    "%s cannot be verified".formatted(release.archive()),
                    "the release's %s does not list it".formatted(EtcdRelease.SUMS),
                    "check --version and --release-url");
        }
        ofRelease.ifPresent(
                wanted -> same(archive, sum, wanted, "the release's " + EtcdRelease.SUMS));
        pinned.of(release.archive())
                .ifPresent(wanted -> same(archive, sum, wanted, "this program"));
    }

    private static void same(Path archive, String sum, String wanted, String witness) {
        if (!sum.equals(wanted)) {
            throw new HostException(
                    "%s is not what was released".formatted(archive),
                    "its SHA-256 is %s, by %s it is %s".formatted(sum, witness, wanted),
                    "find out who changed it; nothing was installed. Remove the file, then run the command again");
        }
    }

    private String sum(Path file) {
        try (InputStream content = files.open(file)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] buffer = new byte[BUFFER];
            for (int read = content.read(buffer); read >= 0; read = content.read(buffer)) {
                digest.update(buffer, 0, read);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (IOException e) {
            throw new HostException("%s cannot be read".formatted(file), Causes.words(e), "", e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
