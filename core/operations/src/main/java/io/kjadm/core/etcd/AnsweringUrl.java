package io.kjadm.core.etcd;

import io.kjadm.core.error.ClusterException;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;

import java.net.URI;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

/** A client URL at which a member itself answers: an address may lead to somebody else's etcd. */
public final class AnsweringUrl {

    private AnsweringUrl() {}

    /**
     * Looks for one.
     *
     * @param known where it may answer, beside what it has published
     * @throws ClusterException if it answers nowhere
     */
    public static URI of(EtcdCluster cluster, Member member, Collection<URI> known) {
        Set<URI> urls = new LinkedHashSet<>(known);
        urls.addAll(member.clientUrls());
        for (URI url : urls) {
            try {
                if (cluster.status(url).memberId().equals(member.id())) {
                    return url;
                }
            } catch (EtcdCallException e) {
                // the next one may answer
            }
        }
        throw new ClusterException(
                CommonReason.NO_ANSWER,
                "etcd member %s cannot be asked".formatted(member.describe()),
                "it answers at none of " + urls,
                "check that it runs, then run the command again");
    }
}
