package io.kjadm.core.standalone;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.EtcdVersion;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Releases of etcd in memory; what is installed tells its version by a command.
 *
 * @param releases the programs of a version, by their names; empty if it cannot be had
 */
record MemoryPrograms(
        CommandRunner runner,
        HostFiles files,
        Function<EtcdVersion, Optional<Map<String, String>>> releases)
        implements EtcdPrograms {

    @Override
    public void install(EtcdVersion version, Path dir, EtcdRunOptions options, Reporter out) {
        throw new IllegalStateException("programs are exchanged, not installed");
    }

    @Override
    public Release unpack(EtcdVersion version, Path dir, EtcdRunOptions options, Reporter out) {
        Map<String, String> programs = releases.apply(version)
                .orElseThrow(() -> new HostException("there is no release", "", "--etcd-tarball"));
        return name -> Optional.ofNullable(programs.get(name))
                .map(text -> text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public Optional<EtcdVersion> installed(Path dir) {
        return ReleaseInstaller.installedVersion(runner, files, dir);
    }

    @Override
    public Path fetch(EtcdVersion version, EtcdRunOptions options, Reporter out) {
        throw new IllegalStateException("no test fetches alone");
    }
}
