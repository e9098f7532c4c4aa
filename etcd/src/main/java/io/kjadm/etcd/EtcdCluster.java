package io.kjadm.etcd;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An etcd cluster as somebody sees it who changes its members. Every call is made once, with a
 * deadline, and throws {@link EtcdCallException} for everything but the wanted answer; who repeats
 * a change must read {@link #members()} first.
 */
public interface EtcdCluster extends AutoCloseable {

    /**
     * How long a change that was sent may still be applied: the server's own limit of 7 s, and a
     * second to spare.
     */
    Duration LATE_CHANGE = Duration.ofSeconds(8);

    /** For a member on this machine, which is asked again soon. */
    Duration START_PATIENCE = Duration.ofMillis(300);

    /**
     * The member list, linearizable where the server can (3.5 and newer), the leader's own before.
     */
    List<Member> members();

    /**
     * The member list as the member behind a client URL remembers it: answered without a leader
     * too, and perhaps out of date. A learner refuses.
     */
    List<Member> membersKnownTo(URI clientUrl);

    /**
     * The member list of whoever answers first behind these client URLs, asked together.
     *
     * @param silences gets why one has not answered
     */
    default Optional<List<Member>> membersKnownToFirst(
            Collection<URI> clientUrls, Map<URI, EtcdCallException> silences) {
        return ParallelCalls.firstPresent(clientUrls, url -> {
            try {
                return Optional.of(membersKnownTo(url));
            } catch (EtcdCallException e) {
                silences.put(url, e);
                return Optional.empty();
            }
        });
    }

    /** The member lists of those that answer, in the order of the members, asked together. */
    default Map<Member, List<Member>> membersKnownToEach(Collection<Member> members) {
        Map<Member, List<Member>> lists = new LinkedHashMap<>();
        ParallelCalls.all(members, this::membersKnownToOne)
                .forEach((member, list) -> list.ifPresent(known -> lists.put(member, known)));
        return lists;
    }

    private Optional<List<Member>> membersKnownToOne(Member member) {
        for (URI url : member.clientUrls()) {
            try {
                return Optional.of(membersKnownTo(url));
            } catch (EtcdCallException e) {
                // another of its URLs may answer
            }
        }
        return Optional.empty();
    }

    /** What the member says of itself, at the first of its client URLs under which it answers. */
    MemberStatus status(Member member);

    /**
     * What each of the members says of itself, asked together so that the silent ones cost their
     * deadline once.
     */
    default Map<Member, StatusAnswer> statuses(Collection<Member> members) {
        return ParallelCalls.all(members, member -> StatusAnswer.ask(this, member));
    }

    /**
     * The same while one of them may not serve yet: its etcd takes connections before it answers,
     * and is then waited for no longer than {@link #START_PATIENCE}.
     */
    default Map<Member, StatusAnswer> statuses(Collection<Member> members, MemberId starting) {
        return statuses(members);
    }

    /** What the member behind a client URL says of itself. */
    MemberStatus status(URI clientUrl);

    /** What came of asking the member behind each of the client URLs, asked together. */
    default Map<URI, StatusAnswer> statusesAt(Collection<URI> clientUrls) {
        return ParallelCalls.all(clientUrls, url -> StatusAnswer.ask(this, url));
    }

    /** Reads through each of the members, at the same time. */
    default Map<Member, ReadAnswer> reads(Collection<Member> members) {
        return ParallelCalls.all(members, member -> ReadAnswer.ask(this, member));
    }

    /**
     * Adds a member that follows but has no vote. Never call it on a cluster with a member older
     * than 3.4.
     *
     * @param peerUrls of the new member, all of them
     */
    @Mutates
    Member addLearner(List<URI> peerUrls);

    /** The same with one peer URL. */
    @Mutates
    default Member addLearner(URI peerUrl) {
        return addLearner(List.of(peerUrl));
    }

    /**
     * Adds a member that counts for the quorum from now on, running or not.
     *
     * @param peerUrls of the new member, all of them
     */
    @Mutates
    Member addVoter(List<URI> peerUrls);

    /** The same with one peer URL. */
    @Mutates
    default Member addVoter(URI peerUrl) {
        return addVoter(List.of(peerUrl));
    }

    /**
     * Makes a learner a voter; sent to the leader, as only the leader's refusals tell the reason.
     */
    @Mutates
    void promote(MemberId learner);

    @Mutates
    void remove(MemberId member);

    /**
     * Hands leadership over; the request goes to the leader.
     *
     * @param from the member that is believed to lead; another leader is left alone
     */
    @Mutates
    void moveLeader(MemberId from, MemberId to);

    List<Alarm> alarms();

    /**
     * Asks whether the cluster could begin to go down to the minor of a version; changes nothing.
     *
     * @return the version that the cluster has
     */
    EtcdVersion validateDowngrade(EtcdVersion target);

    /**
     * Lets the cluster go down to the minor of a version (3.6 and newer): the cluster version and
     * the format of the data sink to it soon after, and members of that minor may follow.
     */
    @Mutates
    void enableDowngrade(EtcdVersion target);

    /**
     * Ends a downgrade before its last member has gone down; the others go up again. Where there is
     * none etcd answers as if it had been ended.
     */
    @Mutates
    void cancelDowngrade();

    /**
     * The database as the member behind a client URL has it at this moment, passed on as it comes:
     * its pages, then the 32 bytes of the SHA-256 over them. Whether all of it
     * came is for the receiver to see.
     *
     * @param into is left open
     * @throws IOException if {@code into} does not take it
     */
    void snapshot(URI clientUrl, OutputStream into) throws IOException;

    /**
     * Adds up what the member behind a client URL holds. It reads all of it, which costs a large
     * database some seconds.
     *
     * @param revision up to which; the member refuses one that is compacted, or still to come. 0 is
     *     the newest it has
     */
    KvHash hashKv(URI clientUrl, long revision);

    /**
     * The newest revision of the keys, by a linearizable read through the member behind a client
     * URL: that it answers shows that it serves, and reaches a leader that has a quorum. A learner
     * refuses, and so does every member while the alarm {@code CORRUPT} is raised.
     */
    long revision(URI clientUrl);

    /**
     * Forgets what was overwritten or deleted up to a revision. Returns when the member that was
     * asked has done it; the others do it by themselves. That makes room in the database, and leaves
     * its file as large as it was.
     *
     * @throws EtcdCallException of {@link ErrorClass#DONE} if it was done before
     */
    @Mutates
    void compact(long revision);

    /**
     * Writes the database of the member behind a client URL anew, without the room in it. The member
     * serves nobody until that is done, while it still votes and takes entries from its leader.
     *
     * @param limit how long to wait for it; the member goes on after that
     */
    @Mutates
    void defragment(URI clientUrl, Duration limit);

    /** Ends an alarm, whether or not its cause has gone. */
    @Mutates
    void disarm(Alarm alarm);

    /** Frees the connections; throws nothing. */
    @Override
    void close();
}
