package io.kjadm.etcd;

import java.time.Duration;
import java.util.List;

/** Looks at single members of a cluster without changing anything; every question is asked once. */
public interface EtcdProbe extends AutoCloseable {

    /**
     * Gets ready to ask real members; the first question connects. Loads neither jetcd nor netty
     * before.
     *
     * @throws EtcdCallException if the certificates or the key cannot be used
     */
    static EtcdProbe open(EtcdAccess access) {
        return new JetcdProbe(access.endpoints(), new Channels(access));
    }

    /**
     * The member list as the first endpoint that answers within 5 s has it, so that it is known
     * without a quorum too.
     *
     * @throws EtcdCallException if no endpoint answers
     */
    List<Member> members();

    /**
     * What one member says of itself and of the others.
     *
     * @param limit for all that is asked of it
     * @throws EtcdCallException if it does not answer under its own ID
     */
    MemberProbe look(Member member, Duration limit);

    /** Frees the connections; throws nothing. */
    @Override
    void close();
}
