package io.kjadm.core.etcd;

import static io.kjadm.core.feature.FeatureGate.ETCD_LEARNER_MODE;

import io.kjadm.core.feature.FeatureGates;
import io.kjadm.etcd.join.LearnerMemberAdder;
import io.kjadm.etcd.join.LegacyVotingMemberAdder;
import io.kjadm.etcd.join.MemberAdder;

/** Chooses how members are added: the one reader of gate {@code EtcdLearnerMode} (KEP-3614). */
public final class MemberAdders {

    /** An adder for one join. */
    public MemberAdder chosenBy(FeatureGates gates) {
        return addsLearners(gates) ? new LearnerMemberAdder() : new LegacyVotingMemberAdder();
    }

    /** Whether that adder begins with a learner. */
    public boolean addsLearners(FeatureGates gates) {
        return gates.enabled(ETCD_LEARNER_MODE);
    }
}
