package io.kjadm.core.reset;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.phase.Reporter;
import java.time.Duration;
import java.util.List;

/** The accounts that static pods run as under gate {@code RootlessControlPlane} (reference 03 §2.9). */
final class RootlessAccounts {

    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int NO_SUCH_ACCOUNT = 6;
    private static final List<String> USERS =
            List.of("kubeadm-etcd", "kubeadm-kas", "kubeadm-kcm", "kubeadm-ks");
    private static final String KEY_READERS = "kubeadm-sa-key-readers";

    private final CommandRunner runner;

    RootlessAccounts(CommandRunner runner) {
        this.runner = runner;
    }

    /** Removes users and groups; what cannot be removed is a warning. */
    void remove(Reporter out) {
        out.step("reset", "Removing users and groups created for the rootless control plane");
        USERS.forEach(user -> remove("userdel", user, out));
        USERS.forEach(user -> remove("groupdel", user, out));
        remove("groupdel", KEY_READERS, out);
    }

    private void remove(String program, String account, Reporter out) {
        try {
            CommandRunner.Output output = runner.run(List.of(program, account), LIMIT);
            if (!output.ok() && output.exitStatus() != NO_SUCH_ACCOUNT) {
                out.warn("%s %s failed: %s".formatted(program, account, output.stderr().strip()));
            }
        } catch (HostException e) {
            out.warn("%s was not removed: %s".formatted(account, e.getMessage()));
        }
    }
}
