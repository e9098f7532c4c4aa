package io.kjadm.core.reset;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.Owner;
import io.kjadm.core.node.RootlessUser;
import io.kjadm.core.phase.Reporter;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The accounts that static pods run as under gate {@code RootlessControlPlane}.
 */
record RootlessAccounts(HostFiles files, CommandRunner runner) {

    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int NO_SUCH_ACCOUNT = 6;
    private static final List<String> USERS =
            Arrays.stream(RootlessUser.values()).map(RootlessUser::accountName).toList();

    /** The number of the account that etcd runs as; empty if there is none. */
    Optional<Integer> etcdUser() {
        return users().filter(fields -> fields[0].equals(RootlessUser.ETCD.accountName()))
                .map(fields -> Integer.valueOf(fields[2]))
                .findFirst();
    }

    /** Whether there are any: nothing else makes accounts of these names. */
    boolean present() {
        return users().anyMatch(fields -> USERS.contains(fields[0]));
    }

    private Stream<String[]> users() {
        return files.read(Path.of("/etc/passwd"))
                .orElse("")
                .lines()
                .map(line -> line.split(":", -1))
                .filter(fields -> fields.length > 2 && fields[2].matches("\\d{1,9}"));
    }

    /**
     * Removes users and groups; what cannot be removed is a warning. The system's own tools do it,
     * since they keep the security labels of the files that have to be written anew.
     *
     * @param etcdData the data directory of this node's own etcd, which is given back to root: the
     *                 user's number may become somebody else's
     */
    void remove(Optional<Path> etcdData, Reporter out) {
        etcdData.filter(files::isDirectory).ifPresent(directory -> giveBack(directory, out));
        out.step("reset", "Removing users and groups created for the rootless control plane");
        USERS.forEach(user -> remove("userdel", user, out));
        USERS.forEach(user -> remove("groupdel", user, out));
        remove("groupdel", RootlessUser.KEY_READERS, out);
    }

    private void giveBack(Path directory, Reporter out) {
        try {
            files.ownTree(directory, Owner.ROOT);
        } catch (HostException e) {
            out.warn("%s was not returned to root: %s".formatted(directory, e.getMessage()));
        }
    }

    private void remove(String program, String account, Reporter out) {
        try {
            CommandRunner.Output output = runner.run(List.of(program, account), LIMIT);
            if (!output.ok() && output.exitStatus() != NO_SUCH_ACCOUNT) {
                out.warn("%s %s failed: %s"
                        .formatted(program, account, output.stderr().strip()));
            }
        } catch (HostException e) {
            out.warn("%s was not removed: %s".formatted(account, e.getMessage()));
        }
    }
}
