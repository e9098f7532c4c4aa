package io.kjadm.etcd.join;

import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdErrors;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/** What one look at the cluster showed. */
public sealed interface ClusterView {

    /** The member list, and what each member said. */
    record Seen(EtcdHealth health) implements ClusterView {}

    /**
     * The member list could not be read.
     *
     * @param noLeader whether somebody answered, that there is no leader
     * @param text where it was asked for and what came back
     * @param remembered what a member told of its own memory instead; empty if nobody was asked
     */
    record Unreadable(ErrorClass errorClass, boolean noLeader, String text, List<Member> remembered)
            implements ClusterView {

        public Unreadable {
            remembered = List.copyOf(remembered);
        }

        private Unreadable(EtcdCallException failure) {
            this(
                    failure.errorClass(),
                    failure.says(EtcdErrors.NO_LEADER),
                    failure.getMessage(),
                    List.of());
        }

        /** Not asked. */
        static Unreadable yet(String why) {
            return new Unreadable(ErrorClass.TRANSIENT, false, why, List.of());
        }

        /** With what the first of these tells of its own memory. */
        private Unreadable with(EtcdCluster cluster, List<URI> witnesses) {
            for (URI witness : witnesses) {
                try {
                    return new Unreadable(
                            errorClass, noLeader, text, cluster.membersKnownTo(witness));
                } catch (EtcdCallException e) {
                    // the next one may tell
                }
            }
            return this;
        }
    }

    /**
     * @param witnesses client URLs that are asked for their own memory if nobody can agree
     * @param starting  a member that may not serve clients yet
     */
    static ClusterView look(EtcdCluster cluster, List<URI> witnesses, Optional<MemberId> starting) {
        try {
            return new Seen(starting.map(id -> EtcdHealth.ask(cluster, id))
                    .orElseGet(() -> EtcdHealth.ask(cluster)));
        } catch (EtcdCallException e) {
            return new Unreadable(e).with(cluster, witnesses);
        }
    }
}
