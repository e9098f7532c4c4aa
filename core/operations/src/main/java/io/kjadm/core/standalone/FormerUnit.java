package io.kjadm.core.standalone;

import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.StandaloneEtcd;

import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The unit that a machine has since an earlier release set it up: without the limits of what etcd
 * may do. It is replaced only if it is to the letter what that release wrote.
 */
record FormerUnit(HostFiles files, EtcdHostPaths paths, Reporter out) {

    /** Flags that let etcd write outside its data directory, which the new unit forbids. */
    private static Stream<String> elsewhere() {
        return Stream.of("WAL_DIR", "LOG_OUTPUTS");
    }

    /**
     * What is to be in its place; empty if it stays, and why is told.
     *
     * @param flags of etcd's environment
     */
    Optional<String> replacement(MemberSettings settings, Map<String, String> flags) {
        Optional<String> unit = files.read(paths.unit());
        String wanted = StandaloneEtcd.unit(
                paths.environment(), settings.directories(), settings.unitSettings());
        if (unit.isEmpty() || unit.get().equals(wanted)) {
            return Optional.empty();
        }
        Optional<String> why = unit.get()
                        .equals(StandaloneEtcd.formerUnit(
                                paths.environment(),
                                settings.directories(),
                                settings.unitSettings()))
                ? elsewhere()
                        .filter(flags::containsKey)
                        .findFirst()
                        .map(flag -> "ETCD_%s lets etcd write outside its data directory"
                                .formatted(flag))
                : Optional.of("it was changed by hand");
        why.ifPresent(reason -> out.step(
                "etcd",
                "%s stays as it is, without the limits that this version writes: %s"
                        .formatted(paths.unit(), reason)));
        return why.isPresent() ? Optional.empty() : Optional.of(wanted);
    }
}
