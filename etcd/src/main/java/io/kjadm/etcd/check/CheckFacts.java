package io.kjadm.etcd.check;

import io.kjadm.etcd.MemberId;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Everything a join is judged by, but for what preflight has judged already.
 *
 * @param contacts what each voter's peer port said
 * @param now this machine's clock
 */
public record CheckFacts(
        Candidate candidate,
        ClusterFacts cluster,
        Map<MemberId, PeerContact> contacts,
        PeerCertificate certificate,
        Data data,
        Instant now) {

    /**
     * Where the member's data will be.
     *
     * @param found     what is there
     * @param freeBytes on its disk; empty if it could not be told
     */
    public record Data(Path directory, DataDirectory found, OptionalLong freeBytes) {}

    public CheckFacts {
        contacts = Map.copyOf(contacts);
    }
}
