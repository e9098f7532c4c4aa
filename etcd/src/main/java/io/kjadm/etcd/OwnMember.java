package io.kjadm.etcd;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * By what a node finds its own entries in the member list. An ID proves; an address does not, as it
 * may be another machine's by now, or be copied from there.
 *
 * @param id       as this node's data, its running etcd or a journal tells it
 * @param name     that its manifest gives it
 * @param peerUrls the URLs its manifest names
 * @param asLearner whether it is to go only as long as it has no vote
 */
public record OwnMember(
        Optional<MemberId> id, Optional<String> name, Set<URI> peerUrls, boolean asLearner) {

    public OwnMember {
        peerUrls = Set.copyOf(peerUrls);
    }

    /** One that goes whether it votes or not. */
    public OwnMember(Optional<MemberId> id, Optional<String> name, Set<URI> peerUrls) {
        this(id, name, peerUrls, false);
    }

    /** One that is known by its ID alone. */
    public static OwnMember known(MemberId id) {
        return new OwnMember(Optional.of(id), Optional.empty(), Set.of());
    }

    /** One that was decided upon as it is listed here: a learner stays if it votes by now. */
    public static OwnMember asListed(Member member) {
        return new OwnMember(
                Optional.of(member.id()), Optional.empty(), Set.of(), member.learner());
    }

    /** Every entry that is this node's, its ID first. */
    List<Member> among(EtcdHealth health) {
        return health.members().stream()
                .filter(member -> isThis(member) || claims(member, health))
                .sorted((one, other) -> Boolean.compare(isThis(other), isThis(one)))
                .toList();
    }

    /** Entries under this node's address that are not shown to be its own. */
    List<Member> unproven(EtcdHealth health) {
        return health.members().stream()
                .filter(member ->
                        atOurAddress(member) && !isThis(member) && !claims(member, health))
                .toList();
    }

    /** What speaks against such an entry being this node's. */
    String doubt(Member member, EtcdHealth health) {
        String theirs = health.status(member.id()).isPresent()
                ? "it runs and answers at " + member.clientUrls()
                : member.started() ? "it is named " + member.name() : "it has never started";
        String ours = id.map(own -> "this node's etcd data is of member " + own)
                .orElseGet(() -> name.filter(own -> !own.equals(member.name()))
                        .map(own -> "this node's is named " + own)
                        .orElse("only the address suggests that it is this node's"));
        return theirs + ", and " + ours;
    }

    private boolean isThis(Member member) {
        return id.filter(member.id()::equals).isPresent();
    }

    /**
     * Whether an entry under this node's address may count as its own. One that never started is
     * what a join that failed has left, and a voter only where nothing tells of another ID. One that
     * started must have this node's name too, must not run elsewhere, and no other ID may be known
     * here.
     */
    private boolean claims(Member member, EtcdHealth health) {
        if (!atOurAddress(member)) {
            return false;
        }
        if (!member.started()) {
            return member.learner() || id.isEmpty();
        }
        return id.isEmpty()
                && name.filter(member.name()::equals).isPresent()
                && health.status(member.id()).isEmpty();
    }

    private boolean atOurAddress(Member member) {
        return PeerUrls.of(member).overlaps(PeerUrls.of(peerUrls));
    }
}
