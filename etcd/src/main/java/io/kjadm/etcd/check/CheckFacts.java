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
 * @param freeBytes on the disk of the data directory; empty if it could not be told
 * @param now this machine's clock
 */
public record CheckFacts(
        Candidate candidate,
        ClusterFacts cluster,
        Map<MemberId, PeerContact> contacts,
        PeerCertificate certificate,
        DataDirectory data,
        Path dataDir,
        OptionalLong freeBytes,
        Instant now) {

    public CheckFacts {
        contacts = Map.copyOf(contacts);
    }
}
