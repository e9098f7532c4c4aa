package io.kjadm.etcd;

import java.net.URI;
import java.util.List;

/** A member of a {@link SimulatedCluster}, and its process. */
final class SimulatedServer {

    MemberId id;
    final List<URI> peerUrls;
    String name = "";
    boolean learner;
    boolean up;
    long applied;
    EtcdVersion version;

    SimulatedServer(MemberId id, List<URI> peerUrls, boolean learner, EtcdVersion version) {
        this.id = id;
        this.peerUrls = peerUrls;
        this.learner = learner;
        this.version = version;
    }

    Member member() {
        List<URI> clients =
                name.isEmpty() ? List.of() : List.of(URI.create("https://" + name + ":2379"));
        return new Member(id, name, peerUrls, clients, learner);
    }
}
