package io.kjadm.core.journal;

import static io.kjadm.core.journal.Operation.CA_ROTATION;
import static io.kjadm.core.journal.Operation.ETCD_VERSION;
import static io.kjadm.core.journal.Operation.JOIN;
import static io.kjadm.core.journal.Operation.RECOVER;
import static io.kjadm.core.journal.Operation.REPLACE;
import static io.kjadm.core.journal.Operation.RESTORE;

import java.util.Set;

/**
 * The commands that change etcd or this machine, with the operations that may be unfinished when
 * they run: their own, which they continue, and those that they may be needed for. A reset is not
 * among them: it ends what is unfinished. Neither is what only reads, or takes a snapshot.
 */
public enum ChangingCommand {
    /** {@code init}; what a forced reset has noted of a join is about another cluster. */
    INIT(JOIN),
    /** {@code join}. */
    JOINING(JOIN),
    /**
     * {@code upgrade apply} and {@code upgrade node}, which continue a change of etcd's version that
     * they need themselves, and refuse any other.
     */
    UPGRADING(Operation.UPGRADE, ETCD_VERSION),
    /** {@code etcd upgrade} and {@code etcd downgrade}. */
    CHANGING_VERSION(ETCD_VERSION),
    /** {@code etcd init} and {@code etcd join}, which tell by their own record whose it is. */
    SETTING_UP(Operation.INIT, JOIN),
    /** {@code certs renew} and {@code etcd certs renew}; an upgrade may wait for them. */
    RENEWING(JOIN, Operation.UPGRADE, ETCD_VERSION, REPLACE, CA_ROTATION),
    /** {@code etcd certs rotate-ca}. */
    ROTATING(CA_ROTATION),
    /**
     * {@code etcd snapshot restore} and {@code etcd recover --apply}: they are what is left when an
     * upgrade, a replacement or a restart with another CA has cost the quorum.
     */
    RESTORING(RESTORE, RECOVER, Operation.UPGRADE, ETCD_VERSION, REPLACE, CA_ROTATION),
    /** {@code etcd member add}. */
    ADDING(JOIN),
    /** {@code etcd member promote}. */
    PROMOTING(JOIN, REPLACE),
    /** {@code etcd member replace}. */
    REPLACING(JOIN, REPLACE),
    /**
     * {@code etcd member remove} and {@code cleanup}: an upgrade cannot go on beside a voter that
     * is lost for good.
     */
    REMOVING(JOIN, REPLACE, Operation.UPGRADE, ETCD_VERSION, CA_ROTATION),
    /** {@code etcd defrag} and {@code etcd alarm disarm}; an upgrade may wait for them. */
    UPKEEP(JOIN, REPLACE, Operation.UPGRADE, ETCD_VERSION, CA_ROTATION);

    private final Set<Operation> allowed;

    ChangingCommand(Operation... allowed) {
        this.allowed = Set.of(allowed);
    }

    /** Whether it may run while such an operation is unfinished. */
    public boolean runsBeside(Operation unfinished) {
        return allowed.contains(unfinished);
    }
}
