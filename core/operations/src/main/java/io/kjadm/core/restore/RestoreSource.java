package io.kjadm.core.restore;

import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.Member;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The database that a restore puts back, and what is told of it. */
public interface RestoreSource {

    /** What the journal calls it; no other has the same name. */
    String name();

    /** What messages call it: {@code snapshot 20261120t102459z-3f1c}. */
    String title();

    /** What the plan tells of it, a sentence each. */
    List<String> describe();

    /** The cluster that it is of, where that is known, in hexadecimal digits. */
    default Optional<String> clusterId() {
        return Optional.empty();
    }

    /** Its revision, where that is known. */
    OptionalLong revision();

    /**
     * Members of a cluster, as they were listed at some time.
     *
     * @param index of the last entry of etcd's log that was applied then
     */
    record Listed(long index, List<Member> members) {

        public Listed {
            members = List.copyOf(members);
        }
    }

    /** The latest list of the cluster's members that was recorded beside its snapshots. */
    default Optional<Listed> listed() {
        return Optional.empty();
    }

    /** How large it is, where that is known before it is fetched. */
    default OptionalLong bytes(HostFiles files) {
        return OptionalLong.empty();
    }

    /** The command that begins the restore and goes on with it. */
    String command();

    /**
     * Whether it is this node's own database, which can only be copied once etcd is stopped; others
     * are fetched before anything changes.
     */
    default boolean ownData() {
        return false;
    }

    /** Whether a sum is behind it that is to be checked once more. */
    default boolean summed() {
        return true;
    }

    /**
     * By how much the operator wants the revision to rise at least, where the usual is not enough:
     * clients have seen those of an earlier restore.
     */
    default OptionalLong raise() {
        return OptionalLong.empty();
    }

    /**
     * Writes it into a file, readable for its owner only; one that is there is replaced. May be
     * repeated.
     *
     * @throws io.kjadm.core.error.KjadmException if it is not good; there is no such file then
     */
    void fetch(HostFiles files, Path file);
}
