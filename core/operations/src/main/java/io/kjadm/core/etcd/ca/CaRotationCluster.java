package io.kjadm.core.etcd.ca;

import io.kjadm.etcd.EtcdValues;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.pki.CertificateAuthority;

import java.util.List;
import java.util.function.Function;

/**
 * etcd as a rotation of its CA sees it, as a port. What proves this node to it is read from its
 * files for each question, as it changes on the way.
 */
public interface CaRotationCluster {

    /** All members that are listed. */
    List<Member> members();

    /** The member that answers on this machine. */
    MemberId own();

    /**
     * Asks each member, over a connection of its own.
     *
     * @param trustPem the CAs that its certificate may be of
     * @param signer   of the client certificate that it is shown
     * @return who does not answer, and why; empty if all do
     */
    List<String> refusals(List<Member> members, String trustPem, CertificateAuthority signer);

    /** Reads or writes texts in etcd. */
    <T> T values(Function<EtcdValues, T> work);

    /** Removes from etcd's history what was overwritten or deleted so far. May be repeated. */
    void compact();
}
