package io.kjadm.core.simulation;

import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.store.ObjectStore;

/** What is put between production's classes of the automatic mode, so that they do otherwise. */
class AutoTampering {

    /** The store of a machine's daemon. */
    ObjectStore store(ObjectStore real, Host host) {
        return real;
    }

    /** The files of the daemon, at its start. */
    HostFiles files(HostFiles real) {
        return real;
    }

    /** Whether a machine that says so has stopped its member. */
    boolean stops() {
        return true;
    }

    /** What the join gets. */
    EtcdConnector guarded(EtcdConnector real, EtcdConnector guarded) {
        return guarded;
    }

    /** Whether etcd's start is checked. */
    boolean checksStart() {
        return true;
    }

    /** The spec that a machine reads. */
    Charter read(Charter charter) {
        return charter;
    }
}
