package io.kjadm.core.simulation;

import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.join.JoinDecision;
import io.kjadm.etcd.join.JoinFacts;

import java.util.function.Function;

/**
 * What is put between production's classes, for showing that the simulation notices if they did
 * otherwise; one for each run of a program.
 */
class Tampering {

    Function<JoinFacts, JoinDecision> decider(Function<JoinFacts, JoinDecision> real) {
        return real;
    }

    EtcdCluster joining(EtcdCluster real) {
        return real;
    }

    EtcdCluster resetting(EtcdCluster real, Host host) {
        return real;
    }

    EtcdCluster upgrading(EtcdCluster real, Host host) {
        return real;
    }

    /** The files as a reset finds them. */
    HostFiles disk(HostFiles real) {
        return real;
    }

    /** Whether no wait of a join has a limit. */
    boolean waitsForEver() {
        return false;
    }

    /** Whether an interrupt reaches also what production keeps from being interrupted. */
    boolean interruptsEverything() {
        return false;
    }
}
