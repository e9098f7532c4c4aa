package io.kjadm.core.simulation;

import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.Data;
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

    /** What the decisions are made by. */
    AutoFacts facts(AutoFacts real) {
        return real;
    }

    /** What is in etcd's data directory. */
    Data data(Data real) {
        return real;
    }

    /** Whether it is noticed that the data are older than they were. */
    boolean knowsAge() {
        return true;
    }

    /** Whether data are moved aside, and not deleted. */
    boolean keepsData() {
        return true;
    }

    /** Up to which index the next generation gets the data. */
    long restores(long index) {
        return index;
    }

    /** Whether a person who has repaired the log starts the daemons again. */
    boolean restarts() {
        return true;
    }

    /** Whether what an operator says needs a signature. */
    boolean asksForSignatures() {
        return true;
    }

    /** Whether a person gives up those voters alone whose machines are off. */
    boolean namesTheLost() {
        return true;
    }
}
