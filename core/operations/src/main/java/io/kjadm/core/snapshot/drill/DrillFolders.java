package io.kjadm.core.snapshot.drill;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.HostFiles.Claim;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The folders that snapshots are played in. Each is locked while its program runs, so that a later
 * run removes those that a killed one has left: every Secret is in them.
 *
 * @param ground that they are in
 */
record DrillFolders(HostFiles files, Path ground, Waiter clock, Reporter out) {

    private static final String PREFIX = "kjadm-drill-";
    private static final Pattern NAME = Pattern.compile(PREFIX + "[0-9a-f]{16}");
    private static final String LOCK = "lock";
    /** A folder is locked a moment after it was made. */
    private static final Duration YOUNG = Duration.ofMinutes(10);

    /** Belongs to the account of this program; the JDK has no call for its number. */
    private static final Path SELF = Path.of("/proc/self");

    static Path path(Path ground, byte[] id) {
        return ground.resolve(PREFIX + HexFormat.of().formatHex(id));
    }

    /** Locks one until its program ends. */
    static Claim claim(HostFiles files, Path work) {
        return files.claim(work.resolve(LOCK))
                .orElseThrow(() -> new HostException(
                        "%s is in use".formatted(work),
                        "another program has locked it",
                        "run the command again"));
    }

    /** Removes those whose program has ended, and ends what it has started in them. */
    void removeLeftOvers() {
        files.list(ground).stream()
                .filter(path -> NAME.matcher(path.getFileName().toString()).matches())
                .filter(this::isOurs)
                .forEach(this::removeUnlessInUse);
    }

    /** The ground is often open to all accounts: links, and what others have made, stay. */
    private boolean isOurs(Path work) {
        boolean direct = files.realPath(work)
                .equals(files.realPath(ground).map(real -> real.resolve(work.getFileName())));
        return direct
                && files.isDirectory(work)
                && files.owner(work).uid() == files.owner(SELF).uid()
                && files.modified(work)
                        .filter(made -> made.plus(YOUNG).isBefore(clock.now()))
                        .isPresent();
    }

    private void removeUnlessInUse(Path work) {
        Optional<Claim> claimed = files.claim(work.resolve(LOCK));
        if (claimed.isEmpty()) {
            return;
        }
        try (Claim _ = claimed.get()) {
            end(work);
            files.deleteTree(work);
            out.step(
                    "snapshot",
                    "Removed %s, which a drill that was killed has left".formatted(work));
        } catch (HostException e) {
            out.warn("%s, which a drill that was killed has left, stays: %s"
                    .formatted(work, e.getMessage()));
        }
    }

    /** Its etcd outlives a program that was killed; no other process has such an argument. */
    private static void end(Path work) {
        String argument = "--data-dir=" + work.resolve("data");
        ProcessHandle.allProcesses()
                .filter(process -> process.info()
                        .arguments()
                        .filter(words -> Arrays.asList(words).contains(argument))
                        .isPresent())
                .forEach(ProcessHandle::destroyForcibly);
    }
}
