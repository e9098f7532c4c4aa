package io.kjadm.core.etcd;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.JsonInput;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;

/**
 * A small file in a data directory that tells whose it is, so that an empty directory is known to be
 * a member's disk and not the place where that disk is to be mounted. etcd looks at {@code member/}
 * alone.
 *
 * @param memberId  hexadecimal; empty text where it was not known yet
 * @param clusterId likewise
 * @param machineId of the machine ({@code machine-id(5)})
 */
public record MemberMarker(String memberId, String clusterId, String machineId, Instant created) {

    /** Its name in the data directory. */
    public static final String FILE_NAME = "kjadm-member";

    private static final int MAX_BYTES = 4096;
    private static final Path MACHINE_ID = Path.of("/etc/machine-id");

    /**
     * The one in a data directory; empty if there is none, or it cannot be read. The directory
     * belongs to etcd's account, so a link is not followed: it is no marker.
     */
    public static Optional<MemberMarker> read(HostFiles files, Path dataDir) {
        try {
            return files.readBelow(dataDir, Path.of(FILE_NAME))
                    .filter(bytes -> bytes.length <= MAX_BYTES)
                    .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                    .flatMap(MemberMarker::parse);
        } catch (HostException e) {
            return Optional.empty();
        }
    }

    /** Whether the one in a data directory is of that member, and of this machine. */
    static boolean tells(HostFiles files, Path dataDir, MemberIds ids) {
        return read(files, dataDir)
                .filter(of(files, ids.memberId(), ids.clusterId(), Instant.EPOCH)::sameMember)
                .isPresent();
    }

    private static MemberMarker of(
            HostFiles files, MemberId memberId, String clusterId, Instant now) {
        return new MemberMarker(
                memberId.isNone() ? "" : memberId.toString(),
                clusterId,
                files.read(MACHINE_ID).orElse("").strip(),
                now);
    }

    private static Optional<MemberMarker> parse(String text) {
        try {
            JsonNode node = JsonInput.tree(text);
            return Optional.of(new MemberMarker(
                    node.path("memberID").asText(""),
                    node.path("clusterID").asText(""),
                    node.path("machineID").asText(""),
                    Instant.parse(node.path("created").asText(""))));
        } catch (JsonProcessingException | DateTimeException e) {
            return Optional.empty();
        }
    }

    /** Writes it for the member whose data are in the directory, if their log tells whose. */
    public static void adopt(HostFiles files, Path dataDir, Instant now) {
        new DataDirReader(files)
                .idsIn(dataDir.resolve(KubernetesPaths.ETCD_MEMBER))
                .ifPresent(ids -> write(files, dataDir, ids.memberId(), ids.clusterId(), now));
    }

    /** Writes it, unless the one that is there tells the same. */
    public static void write(
            HostFiles files, Path dataDir, MemberId memberId, String clusterId, Instant now) {
        MemberMarker wanted = of(files, memberId, clusterId, now);
        if (read(files, dataDir).filter(wanted::sameMember).isPresent()) {
            return;
        }
        String text = JsonNodeFactory.instance
                        .objectNode()
                        .put("memberID", wanted.memberId)
                        .put("clusterID", wanted.clusterId)
                        .put("machineID", wanted.machineId)
                        .put("created", now.toString())
                        .toPrettyString()
                + "\n";
        files.writeHere(
                dataDir.resolve(FILE_NAME),
                text.getBytes(StandardCharsets.UTF_8),
                FileMode.OWNER_ONLY);
    }

    private boolean sameMember(MemberMarker other) {
        return memberId.equals(other.memberId)
                && clusterId.equals(other.clusterId)
                && machineId.equals(other.machineId);
    }
}
