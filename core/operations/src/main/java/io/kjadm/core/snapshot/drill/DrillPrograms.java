package io.kjadm.core.snapshot.drill;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.CommandRunner.Output;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.EtcdVersion;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * etcd's server and its tool on this machine.
 *
 * @param folder that has both
 */
public record DrillPrograms(Path folder, EtcdVersion version) {

    private static final String SERVER = "etcd";
    private static final String TOOL = "etcdutl";
    private static final List<Path> USUAL =
            List.of(Path.of("/opt/bin"), Path.of("/usr/local/bin"), Path.of("/usr/bin"));
    private static final String VERSION = "etcd Version: ";
    private static final Duration LIMIT = Duration.ofSeconds(30);

    Path server() {
        return folder.resolve(SERVER);
    }

    Path tool() {
        return folder.resolve(TOOL);
    }

    /**
     * Finds those that an etcd's snapshot can be played with: of its minor version, or else of the
     * next one above that is there, as etcd reads what its former minor version wrote.
     *
     * @param named      the only folder to look into
     * @param searchPath folders, with colons between them
     * @param wanted     version of the etcd that the snapshot is of
     * @throws HostException if there are none
     */
    public static DrillPrograms find(
            Optional<Path> named,
            String searchPath,
            EtcdVersion wanted,
            HostFiles files,
            CommandRunner runner) {
        List<Path> folders = named.map(List::of).orElseGet(() -> usual(searchPath));
        List<Path> both = folders.stream()
                .filter(folder ->
                        files.exists(folder.resolve(SERVER)) && files.exists(folder.resolve(TOOL)))
                .toList();
        List<DrillPrograms> found = both.stream()
                .flatMap(folder ->
                        version(folder, runner)
                                .map(version -> new DrillPrograms(folder, version))
                                .stream())
                .toList();
        return found.stream()
                .filter(programs -> programs.reads(wanted))
                .min(Comparator.comparing(
                        (DrillPrograms programs) -> programs.version.minor() - wanted.minor()))
                .orElseThrow(() -> new HostException(
                        "there is no etcd to restore the snapshot with",
                        both.isEmpty()
                                ? "none of %s has both etcd and etcdutl".formatted(folders)
                                : found.isEmpty()
                                        ? "'%s --version' fails, or tells no version of etcd"
                                                .formatted(both.getFirst().resolve(SERVER))
                                        : "the snapshot is of etcd %s, and there is only %s"
                                                .formatted(wanted, found),
                        "name the directory that holds etcd and etcdutl of version %d.%d with --etcd-bin; those of the etcd image can be used"
                                .formatted(wanted.major(), wanted.minor())));
    }

    private static List<Path> usual(String searchPath) {
        Set<Path> folders = new LinkedHashSet<>();
        for (String folder : searchPath.split(":")) {
            if (!folder.isEmpty()) {
                folders.add(Path.of(folder));
            }
        }
        folders.addAll(USUAL);
        return new ArrayList<>(folders);
    }

    private static Optional<EtcdVersion> version(Path folder, CommandRunner runner) {
        try {
            Output said =
                    runner.run(List.of(folder.resolve(SERVER).toString(), "--version"), LIMIT);
            return said.stdout()
                    .lines()
                    .filter(line -> line.startsWith(VERSION))
                    .findFirst()
                    .map(line -> EtcdVersion.parse(line.substring(VERSION.length())));
        } catch (HostException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            // for another processor, say
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** One minor version at a time. */
    private boolean reads(EtcdVersion wanted) {
        int steps = version.minor() - wanted.minor();
        return version.major() == wanted.major() && (steps == 0 || steps == 1);
    }

    @Override
    public String toString() {
        return "%s of %s".formatted(version, folder);
    }
}
