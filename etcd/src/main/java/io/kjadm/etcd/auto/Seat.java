package io.kjadm.etcd.auto;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A voter of the cluster, as the log knows it.
 *
 * @param name    by which etcd lists it
 * @param machine on which it runs; empty for a member that no machine of the log has added
 */
public record Seat(
        MemberId id,
        String name,
        Optional<MachineId> machine,
        List<URI> peerUrls,
        List<URI> clientUrls) {

    public Seat {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(machine, "machine");
        peerUrls = List.copyOf(peerUrls);
        clientUrls = List.copyOf(clientUrls);
    }

    /** One that no machine has added. */
    static Seat of(Member voter) {
        return new Seat(
                voter.id(), voter.name(), Optional.empty(), voter.peerUrls(), voter.clientUrls());
    }

    Seat claimedBy(MachineId by) {
        return new Seat(id, name, Optional.of(by), peerUrls, clientUrls);
    }

    /** Whether it is a member on that machine. */
    public boolean on(MachineId id) {
        return machine.filter(id::equals).isPresent();
    }
}
