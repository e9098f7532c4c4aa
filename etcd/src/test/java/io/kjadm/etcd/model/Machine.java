package io.kjadm.etcd.model;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A machine of the simulation: what is on its disks, and its etcd process. */
public class Machine {

    public final int number;
    /** Of the member that it runs. */
    public final String name;

    public final URI peerUrl;
    public final URI clientUrl;
    /** Entries it can apply in a second. */
    final long pace;

    // on disk
    /** The peer URLs in etcd's manifest, if there is one. */
    public Optional<Set<URI>> manifest = Optional.empty();

    public Optional<MemberId> data = Optional.empty();
    public long lastIndex;

    // in the world
    /** Whether its kubelet starts and stops what the manifests say. */
    public boolean kubelet = true;

    public boolean reachable = true;
    public boolean lagging;
    public boolean stopped;
    public boolean up;
    public long downSince;
    public long nextStart;
    long connectedSince;
    /** What its etcd has been told of the members. */
    List<Member> remembered = List.of();

    public Machine(int number, String name, String host, long pace) {
        this.number = number;
        this.name = name;
        this.peerUrl = URI.create("https://" + host + ":2380");
        this.clientUrl = URI.create("https://" + host + ":2379");
        this.pace = pace;
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

    /** Its kubelet looks at the manifests, if it runs. */
    protected void kubeletLooks() {
        // etcd's is looked at by the model
    }
}
