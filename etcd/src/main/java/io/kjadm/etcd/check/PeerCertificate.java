package io.kjadm.etcd.check;

import java.time.Instant;
import java.util.List;

/** The certificate this node will show to the other members. */
public sealed interface PeerCertificate {

    /**
     * It can be read.
     *
     * @param signedByCa whether the CA beside it signed it
     * @param caFingerprint of that CA, for comparing with other nodes
     * @param validity when both it and its CA are valid
     * @param missingUsages those of serverAuth and clientAuth that it lacks
     * @param missingNames names and addresses that other members may call this node by, and it
     *         lacks
     */
    record Readable(
            String file,
            boolean signedByCa,
            String caFingerprint,
            boolean fitsKey,
            Validity validity,
            List<String> missingUsages,
            List<String> missingNames)
            implements PeerCertificate {
        public Readable {
            missingUsages = List.copyOf(missingUsages);
            missingNames = List.copyOf(missingNames);
        }
    }

    /** From when and until when. */
    record Validity(Instant notBefore, Instant notAfter) {}

    /** It cannot, or its CA or key cannot. */
    record Unusable(String why) implements PeerCertificate {}
}
