package io.kjadm.etcd;

/** What came of asking one member for its status. */
public sealed interface StatusAnswer {

    record Heard(MemberStatus status) implements StatusAnswer {}

    /** @param why in etcd's or the transport's words */
    record Silent(String why) implements StatusAnswer {}

    /** Asks the member; a failure is an answer too. */
    static StatusAnswer ask(EtcdCluster cluster, Member member) {
        try {
            return new Heard(cluster.status(member));
        } catch (EtcdCallException e) {
            return new Silent(e.reason());
        }
    }
}
