package io.kjadm.etcd;

import java.time.Duration;
import java.util.List;

/** Looks at single members of a cluster without changing anything; every question is asked once. */
public interface EtcdProbe extends AutoCloseable {

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
