package io.kjadm.etcd.model;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A machine of the simulation: what is on its disks, and its etcd process. */
public class Machine {

    public final int number;
    /** Of the member that it runs. */
    public String name;

    public URI peerUrl;
    public URI clientUrl;
    /** Entries it can apply in a second. */
    final long pace;

    // on disk
    /** The peer URLs in etcd's manifest, if there is one. */
    public Optional<Set<URI>> manifest = Optional.empty();

    /** The version in etcd's manifest; empty for the one that the cluster was founded with. */
    public Optional<EtcdVersion> image = Optional.empty();

    public Optional<MemberId> data = Optional.empty();
    public long lastIndex;

    // in the world
    /** Whether its kubelet starts and stops what the manifests say. */
    public boolean kubelet = true;

    public boolean reachable = true;
    public boolean lagging;
    public boolean stopped;
    public boolean up;
    /** What runs, or ran last. */
    EtcdVersion version;
    /** Programs that end at once here. */
    public final Set<EtcdVersion> broken = new HashSet<>();

    public long downSince;
    public long nextStart;
    long connectedSince;
    /** What its etcd has been told of the members. */
    List<Member> remembered = List.of();

    public Machine(int number, String name, String host, long pace) {
        this.number = number;
        this.name = name;
        this.pace = pace;
        addressed(host);
    }

    /** It is at that address from now on. */
    protected final void addressed(String host) {
        peerUrl = URI.create("https://" + host + ":2380");
        clientUrl = URI.create("https://" + host + ":2379");
    }

    /** Whether the address that its manifest tells etcd to listen at is this machine's. */
    protected boolean binds() {
        return true;
    }

    boolean answers() {
        return up && reachable;
    }

    /** Its etcd does not run any more. */
    public void down(long now) {
        if (up) {
            up = false;
            downSince = now;
        }
    }

    /** Its etcd starts with no data, as that member. */
    protected void born(MemberId id) {
        data = Optional.of(id);
        lastIndex = 0;
    }

    /** Its etcd has started with what the manifest says. */
    protected void started(long now) {
        // there is nothing to note
    }

    /** Its etcd cannot start with the cluster's data, as it is of another time. */
    protected void doesNotFit() {
        // nobody is to blame
    }

    /** What runs, or ran last. */
    public EtcdVersion version() {
        return version;
    }

    /** Its kubelet looks at the manifests, if it runs. */
    protected void kubeletLooks(long now) {
        // etcd's is looked at by the model
    }

    /** Whether another pod would be made of etcd's manifest than the one that runs. */
    protected boolean outdated() {
        return false;
    }
}
