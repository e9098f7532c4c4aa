package io.kjadm.core.auto;

import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.Local;
import io.kjadm.etcd.auto.AutoFacts.Self;
import io.kjadm.etcd.auto.Charter;

/** What a machine sees of itself and of etcd, as a port. Looking changes nothing. */
public interface MachineView {

    /** This machine as a member of the cluster. */
    Self self(Charter charter);

    /** What is on this machine. */
    Local local(Charter charter);

    /** What the voters of the log answer, and all members that they list. */
    EtcdView etcd(Charter charter);
}
