package io.kjadm.etcd.recover;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What one look at the old cluster found, just now.
 *
 * @param listed  whether a member, a database or an API server lists the members; otherwise only
 *     what etcd was started with names them, which may be out of date
 * @param alone   whether this node's etcd lists no other voter. One that was started again without
 *     data does, and leads itself
 * @param members of the old cluster, this node's too, as far as they are known
 * @param named   what the operator gives up: names, IDs or peer URLs, or {@link #NO_OTHERS}
 * @param ledAgo  how long ago this node's member knew a leader and no other member was seen, if it
 *     has not responded since; negative if the clock was set back
 */
public record ClusterLook(
        boolean listed,
        boolean alone,
        List<Asked> members,
        Set<String> named,
        Optional<Duration> ledAgo) {

    /** What the operator says where nothing lists the members: there are no others. */
    public static final String NO_OTHERS = "no-others";

    public ClusterLook {
        members = List.copyOf(members);
        named = Set.copyOf(named);
    }

    /**
     * A member that was asked.
     *
     * @param own     whether it is this node's
     * @param status  what it said; empty if it does not respond
     * @param silence why it does not, or empty text
     * @param listens whether something accepts connections at one of its peer URLs
     */
    public record Asked(
            Member member,
            boolean own,
            Optional<MemberStatus> status,
            String silence,
            boolean listens) {}

    List<Asked> voters() {
        return members.stream().filter(asked -> asked.member().voter()).toList();
    }

    /** Name, or ID, or peer URL: what the operator names a member by. */
    public static String label(Member member) {
        if (member.started()) {
            return member.name();
        }
        return member.id().isNone()
                ? member.peerUrls().getFirst().toString()
                : member.id().toString();
    }

    /** Whether a name, an ID or a peer URL is that of the member. */
    static boolean names(Member member, String name) {
        return name.equals(member.name())
                || !member.id().isNone() && name.equals(member.id().toString())
                || member.peerUrls().stream().anyMatch(url -> name.equals(url.toString()));
    }

    boolean isNamed(Member member) {
        return named.stream().anyMatch(name -> names(member, name));
    }
}
