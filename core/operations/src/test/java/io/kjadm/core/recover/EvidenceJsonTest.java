package io.kjadm.core.recover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.recover.DatabaseEvidence;
import io.kjadm.etcd.recover.DiskEvidence;
import io.kjadm.etcd.recover.LogEvidence;
import io.kjadm.etcd.recover.MemberAnswer;
import io.kjadm.etcd.recover.NodeEvidence;
import io.kjadm.etcd.recover.NodeEvidence.OwnMember;
import io.kjadm.etcd.recover.NodeEvidence.StartedWith;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.URI;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Evidence arrives on another node as it was collected. */
class EvidenceJsonTest {

    private static final Member MEMBER = new Member(
            new MemberId(0xfedcba9876543210L),
            "cp-1",
            List.of(URI.create("https://[2001:db8::1]:2380")),
            List.of(URI.create("https://[2001:db8::1]:2379")),
            false);

    static Stream<DiskEvidence> disks() {
        LogEvidence log = new LogEvidence.Readable(
                MEMBER.id(),
                "cdf818194e3a8c32",
                new LogEvidence.Position(10, 2, 12),
                new LogEvidence.Gap(1, 2));
        return Stream.of(
                new DiskEvidence.Empty(
                        "/var/lib/etcd",
                        List.of("/var/lib/etcd.failed-1"),
                        Optional.of("a001"),
                        List.of("/var/lib")),
                new DiskEvidence.Unreadable("/var/lib/etcd", "it cannot be read: I/O error"),
                new DiskEvidence.Held(
                        "/var/lib/etcd",
                        log,
                        new DatabaseEvidence.Whole(7, 9, 2, 4096),
                        List.of(MEMBER),
                        Optional.of("not mounted: /var/lib")),
                new DiskEvidence.Held(
                        "/var/lib/etcd",
                        new LogEvidence.Damaged("a checksum is wrong"),
                        new DatabaseEvidence.Damaged("it ends"),
                        List.of()),
                new DiskEvidence.Held(
                        "/var/lib/etcd", log, new DatabaseEvidence.Unread("busy"), List.of()));
    }

    private static NodeEvidence evidence(DiskEvidence disk) {
        MemberStatus status = new MemberStatus(
                MEMBER.id(),
                "cdf818194e3a8c32",
                MemberId.NONE,
                MemberStatus.Versions.of(EtcdVersion.parse("3.6.8")),
                4096,
                2,
                10,
                9,
                false,
                List.of("etcdserver: no leader"));
        return new NodeEvidence(
                new NodeEvidence.Look(
                        "node1",
                        Instant.parse("2026-11-26T03:00:00Z"),
                        "5b0f0d9e-1f7e-4d0e-9f3b-0c6b8d6d3c11"),
                Optional.of(new OwnMember(
                        "cp-1",
                        Set.copyOf(MEMBER.peerUrls()),
                        List.of(new StartedWith("cp-2", URI.create("https://cp-2:2380"))),
                        disk)),
                List.of(
                        new MemberAnswer(
                                MEMBER,
                                Optional.of(status),
                                "",
                                Optional.of(new KvHash(7, 1, 0xdeadbeef))),
                        new MemberAnswer(
                                MEMBER, Optional.empty(), "connection refused", Optional.empty())),
                List.of(new MemberAnswer(MEMBER, Optional.of(status), "", Optional.empty())),
                List.of(new Alarm(MEMBER.id(), "CORRUPT")),
                List.of("https://cp-2:2379: connection refused"));
    }

    private static String text(NodeEvidence evidence) throws JsonProcessingException {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("kind", EvidenceJson.KIND);
        object.putAll(EvidenceJson.fields(evidence));
        return new ObjectMapper().writeValueAsString(object);
    }

    @ParameterizedTest
    @MethodSource("disks")
    void whatIsWrittenIsRead(DiskEvidence disk) throws Exception {
        NodeEvidence evidence = evidence(disk);

        assertEquals(evidence, EvidenceJson.parse(text(evidence)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nothing",
                "{}",
                "[]",
                "{\"kind\": \"EtcdStatus\"}",
                "{\"kind\": \"EtcdNodeEvidence\"}",
                "{\"kind\": \"EtcdNodeEvidence\", \"node\": \"a\", \"takenAt\": \"yesterday\"}",
                "{\"kind\": \"EtcdNodeEvidence\", \"node\": \"a\", \"takenAt\": \"2026-11-26T03:00:00Z\", \"member\": {\"name\": \"a\", \"disk\": {\"dataDir\": \"/\", \"state\": \"odd\"}}}",
            })
    void whatIsNoEvidenceIsRefused(String text) {
        MemoryFiles files = new MemoryFiles().with("/root/node2.json", text);

        assertThrows(
                UsageException.class,
                () -> new EvidenceFiles(files).read(List.of("/root/node2.json")));
    }

    @Test
    void aFileThatIsNotThereIsRefused() {
        assertThrows(
                UsageException.class,
                () -> new EvidenceFiles(new MemoryFiles()).read(List.of("/root/node2.json")));
    }
}
