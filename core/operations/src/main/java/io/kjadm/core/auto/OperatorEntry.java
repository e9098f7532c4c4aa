package io.kjadm.core.auto;

import io.kjadm.core.auto.AutoLog.Appended;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.snapshot.sign.SigningKey;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.EntryBody;

import java.util.Optional;
import java.util.function.Supplier;

/** What a person writes to the log. */
public final class OperatorEntry {

    private static final String WHY = "an operator asked for it";
    private static final String NOT_WRITTEN = "the log was not written";

    /** So often a machine may write to the log first. */
    private static final int TRIES = 5;

    private OperatorEntry() {}

    /**
     * Writes one that was decided by the log as it was read.
     *
     * @param key that signs it; empty if the token suffices
     * @throws ClusterException if it would be void, or was not written: a machine may have written
     *                          first, so the person decides again
     */
    public static void write(
            AutoLog log, EntryBody body, String why, String command, Optional<SigningKey> key) {
        if (append(log, body, why, command, key) == Appended.LOST) {
            throw lost();
        }
    }

    /**
     * Writes entries until none is wanted. One that a machine was faster than is decided again by the
     * log as it is then.
     *
     * @param wanted by the log as it is
     * @return whether one was written
     * @throws ClusterException as {@link #write}
     */
    public static boolean writeAll(
            AutoLog log, Supplier<Optional<EntryBody>> wanted, String command) {
        boolean written = false;
        int tries = 0;
        for (Optional<EntryBody> body = wanted.get(); body.isPresent(); body = wanted.get()) {
            if (append(log, body.get(), WHY, command, Optional.empty()) != Appended.LOST) {
                written = true;
                tries = 0;
            } else if (++tries == TRIES || !(log.refresh() instanceof StoreView.Answers)) {
                throw lost();
            }
        }
        return written;
    }

    private static Appended append(
            AutoLog log, EntryBody body, String why, String command, Optional<SigningKey> key) {
        Appended appended;
        try {
            appended = log.append(body, why, command, key);
        } catch (IllegalArgumentException e) {
            throw new ClusterException(
                    CommonReason.NOT_ACCEPTED,
                    NOT_WRITTEN,
                    e.getMessage(),
                    "see 'kjadm etcd auto status'",
                    e);
        }
        if (appended == Appended.UNSETTLED) {
            throw new ClusterException(NOT_WRITTEN, log.trouble(), "run the same command again");
        }
        return appended;
    }

    private static ClusterException lost() {
        return new ClusterException(
                NOT_WRITTEN,
                "a machine has written to it in this moment",
                "run the same command again");
    }
}
