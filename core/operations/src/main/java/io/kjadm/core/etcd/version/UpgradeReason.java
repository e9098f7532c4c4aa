package io.kjadm.core.etcd.version;

import io.kjadm.etcd.ProblemReason;

/** Why an upgrade that was interrupted is not resumed. */
public enum UpgradeReason implements ProblemReason {
    /** Another program or a person has changed one of its files since. */
    FILES_CHANGED_SINCE
}
