package io.kjadm.etcd.join;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * This node's side of a join, as a port: the manifest, the container behind it, and the data
 * directory.
 */
public interface LocalMember {

    LocalDataDir localDataDir();

    LocalMemberHealth memberHealth();

    /**
     * What would keep a member that is added now from starting on this node; asked right before the
     * add, as what is not added need not be rolled back.
     */
    Optional<StartProblem> startProblem();

    /**
     * Calls the peer port of each of the voters as this node's member does.
     *
     * @return why not, of those that are not reached; nothing of anybody that cannot be called from
     *         here
     */
    Map<MemberId, String> unreached(List<Member> voters);

    /** Whether anything listens on the peer port of that member, with whatever certificate. */
    boolean listens(Member member);

    /**
     * Why the member does not call itself ready to serve; empty text if it does, or cannot be asked
     * from here.
     */
    String notReadyReason();

    /**
     * Writes the manifest that starts the member with these members as its initial cluster. May be
     * repeated; the file is the old one or the new one at any moment.
     *
     * @param own the member of this node, one of {@code members}
     */
    void writeManifest(List<Member> members, Member own);

    /**
     * Takes the manifest away, waits until the container has stopped, and renames the data. May be
     * repeated.
     *
     * @return what became of the data, for the operator
     */
    String stopAndSetAside();

    /**
     * Called while a learner answers nobody although its process runs: what can be done on this
     * node is done.
     *
     * @param announced whether the cluster lists its name: then it has asked to be heard, and serves
     *        within milliseconds or after a time-out of its own
     */
    void help(boolean announced);
}
