package io.kjadm.etcd;

import java.net.URI;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * One line of the member list.
 *
 * @param name empty until the member has published itself
 * @param clientUrls likewise
 */
public record Member(
        MemberId id, String name, List<URI> peerUrls, List<URI> clientUrls, boolean learner) {

    public Member {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(name, "name");
        peerUrls = List.copyOf(peerUrls);
        clientUrls = List.copyOf(clientUrls);
    }

    /**
     * Whether the member has ever published its name. It says nothing about the member being alive
     * now.
     */
    public boolean started() {
        return !name.isEmpty();
    }

    public boolean voter() {
        return !learner;
    }

    /**
     * What stands left of the equals sign in {@code initial-cluster}: the name, or the ID of a
     * nameless member.
     */
    public String label() {
        return started() ? name : id.toString();
    }

    /** How messages speak of several. */
    public static String describeAll(Collection<Member> members) {
        return members.stream().map(Member::describe).collect(Collectors.joining("; "));
    }

    /** ID, name if any, role and peer URLs: how messages speak of a member. */
    public String describe() {
        return "%s%s (%s%s, %s)"
                .formatted(
                        id,
                        started() ? " " + name : "",
                        learner ? "learner" : "voter",
                        started() ? "" : " not started",
                        PeerUrls.of(peerUrls));
    }
}
