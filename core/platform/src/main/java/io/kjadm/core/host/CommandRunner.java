package io.kjadm.core.host;

import java.time.Duration;
import java.util.List;

/**
 * Runs programs of the machine, as a port: processes, a report of them (dry run), or scripted
 * answers.
 */
public interface CommandRunner {

    /**
     * Runs a program to its end, without a shell and with no standard input.
     *
     * @param command the program and its arguments; never a secret, since arguments are
     *         world-readable
     * @param limit   after it the process is destroyed and the run counts as failed
     * @throws io.kjadm.core.error.HostException if the program cannot be started or passes the
     *         limit
     */
    Output run(List<String> command, Duration limit);

    /** Whether an executable of that name is in the search path. */
    boolean isInstalled(String program);

    /** What a finished program left: its exit status and both streams as text. */
    record Output(int exitStatus, String stdout, String stderr) {
        /** Whether the exit status is 0. */
        public boolean ok() {
            return exitStatus == 0;
        }
    }
}
