package io.kjadm.etcd.join;

import io.kjadm.etcd.MemberId;
import java.net.URI;
import java.util.Optional;
import java.util.Set;

/** A machine of the simulation: what is on its disks, and its etcd process. */
final class Machine {

    final int number;
    final String name;
    final URI peerUrl;
    /** Entries it can apply in a second. */
    final long pace;

    // on disk
    Optional<Set<URI>> manifest = Optional.empty();
    Optional<MemberId> data = Optional.empty();
    long lastIndex;
    final MemoryJournal journal = new MemoryJournal();

    // in the world
    boolean kubelet = true;
    boolean reachable = true;
    boolean lagging;
    boolean stopped;
    boolean up;
    long connectedSince;
    long downSince;
    long nextStart;

    Machine(int number, long pace) {
        this.number = number;
        this.name = "cp-" + number;
        this.peerUrl = URI.create("https://" + name + ":2380");
        this.pace = pace;
    }

    boolean answers() {
        return up && reachable;
    }

    void down(long now) {
        if (up) {
            up = false;
            downSince = now;
        }
    }
}
