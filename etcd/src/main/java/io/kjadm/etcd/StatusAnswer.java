package io.kjadm.etcd;

import java.net.URI;
import java.util.Optional;

/**
 * What came of asking one member for its status.
 *
 * @param status empty if it did not answer
 * @param silence why not, in etcd's or the transport's words; empty text if it did
 */
public record StatusAnswer(Optional<MemberStatus> status, String silence) {

    public static StatusAnswer of(MemberStatus status) {
        return new StatusAnswer(Optional.of(status), "");
    }

    public static StatusAnswer none(String silence) {
        return new StatusAnswer(Optional.empty(), silence);
    }

    /** Asks the member; a failure is an answer too. */
    public static StatusAnswer ask(EtcdCluster cluster, Member member) {
        try {
            return of(cluster.status(member));
        } catch (EtcdCallException e) {
            return none(e.reason());
        }
    }

    /** Asks the member behind a client URL; a failure is an answer too. */
    public static StatusAnswer ask(EtcdCluster cluster, URI clientUrl) {
        try {
            return of(cluster.status(clientUrl));
        } catch (EtcdCallException e) {
            return none(e.reason());
        }
    }
}
