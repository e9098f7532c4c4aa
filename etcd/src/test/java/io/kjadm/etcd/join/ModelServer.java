package io.kjadm.etcd.join;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/** One member as the committed configuration of {@link EtcdModel} has it. */
final class ModelServer {

    final MemberId id;
    final URI peerUrl;
    /** Who runs it; empty for a ghost. */
    final Optional<Machine> machine;
    String name = "";
    boolean learner;
    long addedAt;
    long promotedAt;
    private Member listed;

    ModelServer(MemberId id, URI peerUrl, Optional<Machine> machine, boolean learner) {
        this.id = id;
        this.peerUrl = peerUrl;
        this.machine = machine;
        this.learner = learner;
    }

    Member member() {
        if (listed == null || listed.learner() != learner || !listed.name().equals(name)) {
            listed = new Member(id, name, List.of(peerUrl),
                    name.isEmpty()
                            ? List.of() : List.of(URI.create("https://" + name + ":2379")),
                            learner);
        }
        return listed;
    }

    boolean answers() {
        return machine.isPresent() && machine.get().answers() && holdsData();
    }

    long lastIndex() {
        return machine.isPresent() && holdsData() ? machine.get().lastIndex : 0;
    }

    private boolean holdsData() {
        return machine.get().data.isPresent() && machine.get().data.get().equals(id);
    }
}
