package io.kjadm.core.etcd.ca;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.Member;
import io.kjadm.pki.CertificateAuthority;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Whether every member shows, and accepts, what the next stage of a rotation needs. */
public final class RotationAcceptance {

    private static final Duration INTERVAL = Duration.ofSeconds(2);

    private final CaRotationCluster etcd;
    private final Waiter observer;
    private final Limits limits;

    RotationAcceptance(CaRotationCluster etcd, Waiter observer, Limits limits) {
        this.etcd = etcd;
        this.observer = observer;
        this.limits = limits;
    }

    /**
     * In which every member has to answer as the next stage needs it.
     *
     * @param beforehand before anything is begun
     * @param underWay   when others may be restarting theirs
     */
    public record Limits(Duration beforehand, Duration underWay) {

        /** Another node's member may take as long as its restart. */
        public static final Limits STANDARD =
                new Limits(Duration.ofSeconds(30), EtcdRestart.COMPONENT_LIMIT.plusMinutes(1));
    }

    /** What is left of the members' refusals before anything is begun. */
    List<String> refusalsBeforehand(String trustPem, CertificateAuthority signer) {
        return refusals(etcd.members(), trustPem, signer, limits.beforehand());
    }

    /** @throws ClusterException if one of all members refuses to the end */
    void require(String trustPem, CertificateAuthority signer, String otherwise) {
        require(etcd.members(), trustPem, signer, otherwise);
    }

    /** @throws ClusterException if one of them refuses to the end */
    void require(
            List<Member> members, String trustPem, CertificateAuthority signer, String otherwise) {
        List<String> refusals = refusals(members, trustPem, signer, limits.underWay());
        if (!refusals.isEmpty()) {
            throw refused(refusals, otherwise);
        }
    }

    private List<String> refusals(
            List<Member> members, String trustPem, CertificateAuthority signer, Duration limit) {
        Instant until = observer.now().plus(limit);
        List<String> refusals = etcd.refusals(members, trustPem, signer);
        while (!refusals.isEmpty() && observer.now().isBefore(until)) {
            observer.pause(EtcdCaRotation.AREA, String.join("; ", refusals), INTERVAL);
            refusals = etcd.refusals(members, trustPem, signer);
        }
        return refusals;
    }

    static ClusterException refused(List<String> refusals, String otherwise) {
        return new ClusterException(
                "not every etcd member is as the next stage needs it; " + otherwise,
                String.join("; ", refusals),
                "see 'kjadm etcd status', then run the command again");
    }
}
