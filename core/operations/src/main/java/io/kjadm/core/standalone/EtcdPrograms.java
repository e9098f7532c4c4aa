package io.kjadm.core.standalone;

import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.EtcdVersion;

import java.nio.file.Path;
import java.util.Optional;

/** Sees to it that etcd's programs are on this machine, as a port: {@link ReleaseInstaller}. */
public interface EtcdPrograms {

    /**
     * Installs etcd and etcdctl of that version, unless they are there.
     *
     * @throws io.kjadm.core.error.HostException if they cannot be had, or are not what was released
     */
    void install(EtcdVersion version, Path installDir, EtcdRunOptions options, Reporter out);

    /** A verified release; its programs are read one by one, as all are too much for the heap. */
    @FunctionalInterface
    interface Release {

        /** A program by its name; empty if the release has none, or in a dry run. */
        Optional<byte[]> program(String name);
    }

    /**
     * The programs of that version, for whoever exchanges them; what is installed stays.
     *
     * @param installDir where they are to run, which is tried
     * @throws io.kjadm.core.error.HostException if they cannot be had, are not what was released,
     *         or do not run there
     */
    Release unpack(EtcdVersion version, Path installDir, EtcdRunOptions options, Reporter out);

    /** The version of etcd in a directory, if it has all programs and they run. */
    Optional<EtcdVersion> installed(Path installDir);

    /** Fetches the archive alone; where it is then. */
    Path fetch(EtcdVersion version, EtcdRunOptions options, Reporter out);

    /** The dry run's: looks whether they are there, and reports what would be done. */
    static EtcdPrograms reporting(CommandRunner runner, HostFiles files, EtcdHostPaths paths) {
        return new EtcdPrograms() {

            @Override
            public void install(
                    EtcdVersion version, Path installDir, EtcdRunOptions options, Reporter out) {
                Optional<String> installed = ReleaseInstaller.installed(runner, files, installDir);
                if (installed.filter(version.toString()::equals).isPresent()) {
                    out.step("download", "Using etcd %s in %s".formatted(version, installDir));
                    return;
                }
                fetch(version, options, out);
                out.step("dryrun", "Would install etcd %s in %s".formatted(version, installDir));
            }

            @Override
            public Release unpack(
                    EtcdVersion version, Path installDir, EtcdRunOptions options, Reporter out) {
                fetch(version, options, out);
                out.step(
                        "dryrun",
                        "Would replace the programs in %s with those of etcd %s"
                                .formatted(installDir, version));
                return name -> Optional.empty();
            }

            @Override
            public Optional<EtcdVersion> installed(Path installDir) {
                return ReleaseInstaller.installedVersion(runner, files, installDir);
            }

            @Override
            public Path fetch(EtcdVersion version, EtcdRunOptions options, Reporter out) {
                EtcdRelease release = EtcdRelease.here(version);
                Path cached = paths.cacheDir().resolve(release.tag()).resolve(release.archive());
                if (options.tarball().isPresent() || files.exists(cached)) {
                    Path archive = options.tarball().orElse(cached);
                    out.step("dryrun", "Would use %s".formatted(archive));
                    return archive;
                }
                ReleaseCache.requireProof(release, options, ReleaseSums.pinned());
                out.step(
                        "dryrun",
                        "Would download %s"
                                .formatted(release.url(options.releaseUrl(), release.archive())));
                return cached;
            }
        };
    }
}
