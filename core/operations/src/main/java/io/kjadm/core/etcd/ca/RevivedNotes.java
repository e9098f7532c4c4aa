package io.kjadm.core.etcd.ca;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.Reporter;
import io.kjadm.pki.CertificateAuthority;

import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Notes in etcd of a rotation that is over ({@link CaRotationStep.Over}): whoever resumed it would
 * trust the former CA again, or find that this node's CA is neither of the two.
 */
record RevivedNotes(
        CaRotationCluster etcd,
        RotatedNode node,
        NewCaTransfer transfer,
        RotationAcceptance acceptance,
        Reporter out) {

    /**
     * Removes them, if every member has a certificate of this node's CA and accepts one: then none
     * of them is within that rotation.
     *
     * @param still whether they are there and nobody has gone on with them since
     * @throws HostException    if this node's CA is neither of the two, and not every member's
     * @throws ClusterException if a member does not answer so
     * @throws UsageException   if the operator says no
     */
    void remove(CaRotationRecord rotation, Confirmation confirmation, BooleanSupplier still) {
        CertificateAuthority here = node.authority();
        List<String> refusals = acceptance.refusalsBeforehand(here.certificatePem(), here);
        if (!refusals.isEmpty()) {
            if (!still.getAsBoolean()) {
                // another node restarts its member
                return;
            }
            transfer.open(rotation);
            throw RotationAcceptance.refused(refusals, "nothing is changed");
        }
        confirmation.require(
                EtcdCaRotation.AREA,
                ("etcd has notes of a rotation that began at %s. No member has begun with it, and all "
                                + "use the CA in %s, so it is over: a restored snapshot has brought the notes back. "
                                + "They will be removed, and a new rotation begins. Are you sure you want to proceed?")
                        .formatted(rotation.began(), node.ca().certificate()),
                "the removal of the notes");
        if (still.getAsBoolean()) {
            etcd.values(values -> {
                new CaRotationNotes(values).remove(rotation);
                return true;
            });
            transfer.forget();
            out.step(
                    EtcdCaRotation.AREA,
                    "Removed the notes of the rotation that began at " + rotation.began());
        }
    }
}
