package io.kjadm.etcd.model;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/** One member as the committed configuration of {@link EtcdModel} has it. */
public final class ModelServer {

    public final MemberId id;
    public final URI peerUrl;
    /** Who runs it; empty for a ghost. */
    public final Optional<Machine> machine;

    public String name = "";
    public boolean learner;
    public long addedAt;
    /** The commit index at its promotion. */
    long promotedAt;
    /** When it was promoted. */
    public long votesSince;

    private Member listed;

    ModelServer(MemberId id, URI peerUrl, Optional<Machine> machine, boolean learner) {
        this.id = id;
        this.peerUrl = peerUrl;
        this.machine = machine;
        this.learner = learner;
    }

    public Member member() {
        if (listed == null || listed.learner() != learner || !listed.name().equals(name)) {
            listed = new Member(
                    id,
                    name,
                    List.of(peerUrl),
                    name.isEmpty() ? List.of() : List.of(machine.orElseThrow().clientUrl),
                    learner);
        }
        return listed;
    }

    public boolean answers() {
        return machine.isPresent() && machine.get().answers() && holdsData();
    }

    long lastIndex() {
        return machine.isPresent() && holdsData() ? machine.get().lastIndex : 0;
    }

    /** Whether its machine still has its data. */
    public boolean holdsData() {
        return machine.get().data.isPresent() && machine.get().data.get().equals(id);
    }
}
