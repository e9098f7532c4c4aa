package io.kjadm.core.etcd;

import io.kjadm.etcd.Member;
import io.kjadm.manifests.NameAndUrl;

import java.util.List;

/**
 * The member list as a new member's {@code --initial-cluster} needs it.
 */
public final class InitialCluster {

    private InitialCluster() {}

    /**
     * All members in the order listed, the new one under the name it will publish.
     *
     * @param own     the new member
     * @param ownName the node's name
     */
    public static List<NameAndUrl> of(List<Member> members, Member own, String ownName) {
        return members.stream()
                .flatMap(member -> member.peerUrls().stream()
                        .map(url -> new NameAndUrl(
                                member.id().equals(own.id()) ? ownName : member.label(), url)))
                .toList();
    }
}
