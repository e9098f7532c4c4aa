package io.kjadm.core.etcd.version;

import io.kjadm.core.etcd.host.EtcdHost;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdVersion;

import java.util.Optional;

/**
 * This machine's etcd server, as something that is exchanged for one of another version: a static
 * pod by its manifest, or a service of systemd by its programs and its environment.
 */
public interface EtcdServer {

    /** The step under which what is exchanged is kept. */
    String STEP = "etcd";

    /** By which the member is listed where it is yet to start. */
    String name();

    /** How it runs on this machine. */
    EtcdHost host();

    /** A client for all members that are known: this machine's own may be what does not answer. */
    EtcdCluster connect();

    /**
     * What an earlier run has exchanged it for as a whole. That etcd may be starting, and without
     * it the cluster may have no quorum to be asked about anything.
     */
    Optional<String> exchanged(EtcdVersion target, NodeChanges changes);

    /** What it ran before, by what was kept. */
    Optional<EtcdVersion> former(NodeChanges changes);

    /**
     * Exchanges it, unless an earlier run has, and waits until it works.
     *
     * @param text what it is run by: the manifest, or the environment
     * @throws io.kjadm.core.error.ClusterException if it does not work; what was exchanged stays
     */
    void exchange(NodeChanges changes, String text, ComponentJudge judge);

    /**
     * Puts back what was there before, and waits until that works.
     *
     * @throws io.kjadm.core.error.ClusterException if it does not
     */
    void restore(NodeChanges changes, ComponentJudge judge);

    /**
     * Puts in place again what {@link #restore} has taken away, where what was there before cannot
     * start any longer; does not wait for it. What still runs is not restarted. May be repeated.
     */
    void goForward(NodeChanges changes);
}
