package io.kjadm.etcd;

import java.util.List;

/** Looks at single members of a cluster without changing anything; every question is asked once, for at most 5 s. */
public interface EtcdProbe extends AutoCloseable {

    /**
     * The member list as the first endpoint that answers has it, so that it is known without a quorum too.
     *
     * @throws EtcdCallException if no endpoint answers
     */
    List<Member> members();

    /**
     * What one member says of itself and of the others.
     *
     * @throws EtcdCallException if it does not answer under its own ID
     */
    MemberLook look(Member member);

    /** Frees the connections; throws nothing. */
    @Override
    void close();
}
