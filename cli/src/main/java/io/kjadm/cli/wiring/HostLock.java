package io.kjadm.cli.wiring;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.HostFiles.Claim;

import java.nio.file.Path;

/**
 * Keeps apart two runs that would change the same machine: the lock ends with the program, however
 * it ends.
 */
public final class HostLock {

    /** Tests and the training of the AOT caches, which change nothing of this machine, have another. */
    public static final Path LOCK = Path.of(System.getProperty("kjadm.lock", "/run/kjadm.lock"));

    private HostLock() {}

    /** Of a run that only looks: it goes on beside one that changes this machine. */
    public static Claim none() {
        return () -> {};
    }

    /**
     * Claims the machine for this run.
     *
     * @throws UsageException if another run has it
     */
    public static Claim claim(HostFiles files) {
        try {
            return files.claim(LOCK)
                    .orElseThrow(() -> new UsageException(
                            "another kjadm is running on this machine",
                            "it holds the lock on " + LOCK,
                            "wait until it has finished, then run the command again"));
        } catch (HostException e) {
            // who may not write there may do nothing else either, and preflight says so better
            return none();
        }
    }
}
