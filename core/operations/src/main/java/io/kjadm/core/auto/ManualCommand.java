package io.kjadm.core.auto;

import io.kjadm.core.error.UsageException;
import io.kjadm.etcd.ProblemReason;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Charter.Phase;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** The commands of etcd that a machine in automatic mode takes from a person only at times, or never. */
public enum ManualCommand {
    /** It changes members or versions: it may run while the automatic mode is paused. */
    IN_A_PAUSE,
    /** It changes the CA, which machines take from the store: it may run once the mode has ended. */
    ONCE_RETIRED,
    /** It replaces the data of a cluster, ends one, or lets another log manage it. */
    NEVER;

    private static final Set<String> CHANGING = Set.of(
            "init",
            "join",
            "reset",
            "upgrade",
            "downgrade",
            "member add",
            "member promote",
            "member remove",
            "member replace",
            "member cleanup");

    /** Why a command does not run. */
    public enum Reason implements ProblemReason {
        /** The automatic mode is not paused. */
        NOT_PAUSED,
        /** The automatic mode does it another way. */
        AUTOMATIC,
        /** The store does not tell whether the automatic mode is paused. */
        STORE_UNKNOWN,
        /** The store responds, so that a pause is possible. */
        STORE_RESPONDS
    }

    /**
     * What kind a command is of; empty if it runs at any time.
     *
     * @param words of the command after {@code etcd}
     * @param flag  whether a flag is set
     */
    public static Optional<ManualCommand> of(List<String> words, Predicate<String> flag) {
        String command = String.join(" ", words.subList(0, Math.min(2, words.size())));
        boolean changes = CHANGING.contains(command) || CHANGING.contains(words.getFirst());
        // a second log would have its machines change the same members
        boolean never = command.equals("snapshot restore")
                || command.equals("auto adopt")
                || words.getFirst().equals("recover") && flag.test("--apply")
                || words.getFirst().equals("teardown") && !flag.test("--force");
        if (flag.test("--dry-run")) {
            return Optional.empty();
        }
        if (command.equals("certs rotate-ca")) {
            return Optional.of(ONCE_RETIRED);
        }
        return never ? Optional.of(NEVER) : Optional.of(IN_A_PAUSE).filter(_ -> changes);
    }

    /**
     * Lets it run, or not.
     *
     * @param log      what the store tells; empty if it does not respond
     * @param override reason of a person who runs it without the store
     * @throws UsageException if it must not run now
     */
    public void require(Optional<Charter> log, Optional<String> override) {
        if (override.isPresent()) {
            if (log.isPresent()) {
                throw refused(
                        Reason.STORE_RESPONDS,
                        "--auto-override is for a store that does not respond",
                        "run 'kjadm etcd auto pause' instead");
            }
            return;
        }
        if (log.filter(charter -> charter.phase() == Phase.RETIRED).isPresent()) {
            return;
        }
        if (this == NEVER) {
            throw refused(
                    Reason.AUTOMATIC,
                    "the automatic mode would act against it",
                    "use 'kjadm etcd auto approve restore', or end the automatic mode with 'kjadm etcd auto retire'; a machine that is given up leaves with 'kjadm etcd teardown --force'");
        }
        if (this == ONCE_RETIRED) {
            throw refused(
                    Reason.AUTOMATIC,
                    "its machines ask etcd and join with the CA that is in the store, and members would not accept that one any more",
                    "run 'kjadm etcd auto retire' and then this command; afterwards 'kjadm etcd auto adopt' manages the cluster again");
        }
        if (log.isEmpty()) {
            throw refused(
                    Reason.STORE_UNKNOWN,
                    "the store does not tell whether the automatic mode is paused",
                    "make the store available (a bucket needs its credentials, in %s or the environment); if that takes too long, run the command with --auto-override REASON"
                            .formatted(AutoPaths.CREDENTIALS));
        }
        if (log.get().pause().isEmpty()) {
            throw refused(
                    Reason.NOT_PAUSED,
                    "the automatic mode changes the members of this machine's etcd, and is not paused",
                    "run 'kjadm etcd auto pause', then the command, then 'kjadm etcd auto resume'");
        }
    }

    private static UsageException refused(Reason reason, String why, String next) {
        return new UsageException(reason, "this machine is in automatic mode", why, next);
    }
}
