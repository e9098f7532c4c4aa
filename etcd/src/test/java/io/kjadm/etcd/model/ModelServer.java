package io.kjadm.etcd.model;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/** One member as the committed configuration of {@link EtcdModel} has it. */
public final class ModelServer {

    public final MemberId id;
    /** At which the others look for it. */
    public URI peerUrl;
    /** Who runs it; empty for a ghost. */
    public final Optional<Machine> machine;

    public String name = "";
    public boolean learner;
    public long addedAt;
    /** The commit index at its promotion. */
    long promotedAt;
    /** When it was promoted. */
    public long votesSince;

    /** Where it is. */
    private final URI there;

    private final List<URI> clientUrls;
    private Member listed;

    ModelServer(MemberId id, URI peerUrl, Optional<Machine> machine, boolean learner) {
        this.id = id;
        this.peerUrl = peerUrl;
        this.there = peerUrl;
        this.machine = machine;
        this.clientUrls = machine.map(it -> List.of(it.clientUrl)).orElse(List.of());
        this.learner = learner;
    }

    public Member member() {
        boolean same = listed != null
                && listed.learner() == learner
                && listed.name().equals(name)
                && listed.peerUrls().getFirst().equals(peerUrl);
        if (!same) {
            listed = new Member(
                    id, name, List.of(peerUrl), name.isEmpty() ? List.of() : clientUrls, learner);
        }
        return listed;
    }

    public boolean answers() {
        return machine.isPresent() && machine.get().answers() && holdsData();
    }

    /**
     * Whether the others find it. Where they do not it finds them, and serves: but etcd's strict
     * check counts it as not connected.
     */
    public boolean found() {
        return peerUrl.equals(there);
    }

    long lastIndex() {
        return machine.isPresent() && holdsData() ? machine.get().lastIndex : 0;
    }

    /** Whether its machine still has its data. */
    public boolean holdsData() {
        return machine.get().data.isPresent() && machine.get().data.get().equals(id);
    }
}
