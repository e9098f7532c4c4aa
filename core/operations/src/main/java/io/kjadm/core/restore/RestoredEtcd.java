package io.kjadm.core.restore;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.host.EtcdHost;
import io.kjadm.etcd.join.StartProblem;
import io.kjadm.manifests.NameAndUrl;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * This machine's etcd as something that gets other data: a static pod beneath a control plane, or a
 * service of systemd. Every change may be repeated.
 */
public interface RestoredEtcd {

    /** How it runs. */
    EtcdHost host();

    /**
     * That a snapshot can be restored to it.
     *
     * @throws HostException if not; nothing was changed
     */
    void requireRestorable(LocalEtcdState node);

    /** How a restore whose journal cannot be read is put right by hand. */
    String byHand();

    /** How other members are stopped. */
    String stopOthers();

    /** What else the operator has to know before, a sentence each. */
    List<String> cautions(LocalEtcdState node);

    /**
     * By how much the revision rises at least, so that none is given out twice, and what was before
     * is marked as compacted; 0 if the tool at hand cannot do that.
     */
    long raisedBy();

    /**
     * Sees to it that there is what makes data of a snapshot; changes nothing else.
     *
     * @throws HostException if it cannot be had
     */
    void prepare();

    /**
     * Stops it and what lives on it on this machine. Until {@link #start}, nothing else starts it:
     * no boot, and no other program that asks the init system.
     */
    void stop();

    /** Whether all that {@link #stop} takes away to the end is there again: by another program. */
    boolean runsAgain();

    /**
     * What is made.
     *
     * @param snapshot the file, in {@link #work}
     * @param dataDir  etcd's, which gets the data
     * @param member   whose it will be, with its peer URL
     * @param token    of the new cluster
     * @param source   what is restored
     * @param raise    by how much the revision rises, {@link #raisedBy} or more; 0 if it does not
     */
    record Making(
            Path snapshot,
            Path dataDir,
            NameAndUrl member,
            String token,
            RestoreSource source,
            long raise) {

        /** What a restore works in; of this program's account, so that etcd exchanges nothing. */
        public Path work() {
            return dataDir.resolve(RestorePlan.WORK);
        }

        /** Where the tool may write. */
        public Path folder() {
            return work().resolve("made");
        }

        /** The data directory to be made; what is there was an earlier run's. */
        public Path target() {
            return folder().resolve("data");
        }
    }

    /**
     * Makes the data, with etcd's own tool, owned as etcd's data are.
     *
     * @throws io.kjadm.core.error.KjadmException if it does not make them
     */
    void make(Making making);

    /**
     * Has it start with its data, a member whose cluster has no other; does not wait until it
     * serves.
     *
     * @return why it does not come up, as far as that is known
     */
    Supplier<Optional<StartProblem>> start(NameAndUrl member, String token);

    /**
     * Stops what {@link #start} has started; nothing but the next call of that starts it, not a
     * boot either.
     */
    void halt();

    /** Starts what lives on it on this machine; does not wait until it serves. */
    void startOthers();

    /** Waits for what lives on it on this machine, which was started. */
    void awaitOthers();

    /**
     * Stops what a restore has started, so that what was before can be put back. Files that others
     * have written since are moved away, and the operator learns where they are.
     */
    void withdraw();

    /** Puts back what it was run by, and has it run if it did; its data are in place. */
    void putBack();

    /** What was put back, as a sentence. */
    String asBefore();

    /** Forgets what is kept of what was before, the journal last. */
    void discard();

    /** How other machines become members again, as a sentence. */
    String othersJoin(LocalEtcdState node);
}
