package io.kjadm.core.auto;

import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.Local;
import io.kjadm.etcd.auto.AutoFacts.Self;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.MachineReport.Floor;

import java.util.Optional;

/**
 * What a machine sees of itself and of etcd, as a port. Looking changes nothing; what a daemon has
 * seen or begins, it remembers.
 */
public interface MachineView {

    /** This machine as a member of the cluster. */
    Self self(Charter charter);

    /**
     * What is on this machine.
     *
     * @param reported what the store holds of its report
     */
    Local local(Charter charter, Optional<MachineReport> reported);

    /** What the voters of the log answer, and all members that they list. */
    EtcdView etcd(Charter charter);

    /** A command is about to set up a member on this machine. */
    default void begins(Charter charter) {
        // where disks have no identity
    }

    /**
     * What was seen, by a daemon that may change this machine. Where another machine may have its ID,
     * it remembers only how far its data have to be.
     */
    default void seen(AutoFacts facts) {
        // as above
    }

    /** What the data have had at the least. */
    default Floor floor() {
        return Floor.NONE;
    }
}
