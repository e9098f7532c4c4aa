package io.kjadm.core.snapshot;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.fuzz.Fuzz.Target;
import io.kjadm.etcd.snapshot.SnapshotContent;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The small files beside a snapshot in a store, as input that is mutated. */
public final class SnapshotFuzz {

    private static final Instant TAKEN = Instant.parse("2026-11-26T12:30:00Z");

    private SnapshotFuzz() {}

    public static List<Target> targets() {
        return List.of(
                new Target("manifest", List.of(bytes(ManifestJson.text(manifest()))), input -> {
                    try {
                        ManifestJson.parse(text(input));
                        return true;
                    } catch (IllegalArgumentException refused) {
                        return false;
                    }
                }),
                new Target("verification", List.of(bytes(verification().text())), input -> {
                    try {
                        Verification.parse(text(input));
                        return true;
                    } catch (IllegalArgumentException refused) {
                        return false;
                    }
                }));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] input) {
        return new String(input, StandardCharsets.UTF_8);
    }

    private static Verification verification() {
        return new Verification(
                Verification.Level.SUM, TAKEN, Duration.ofSeconds(3), true, "536899616 bytes");
    }

    private static SnapshotManifest manifest() {
        return new SnapshotManifest(
                "20261126t123000z-0001",
                new SnapshotManifest.Origin(
                        "abc", new MemberId(1), "cp-1", EtcdVersion.parse("3.6.14")),
                TAKEN,
                new SnapshotManifest.Plain(
                        new SnapshotContent(
                                5,
                                3,
                                new SnapshotContent.Total(1, 7),
                                4096,
                                new SnapshotContent.AppliedEntry(5, 1),
                                Optional.of(EtcdVersion.parse("3.6.0")),
                                List.of("key", "meta")),
                        4128,
                        "00"),
                new SnapshotManifest.Stored(
                        4128,
                        "00",
                        new SnapshotEncoding(true, List.of("age1")),
                        Optional.of(new SnapshotManifest.Bundle(5, "00"))),
                List.of(new SnapshotManifest.MemberHash(
                        new MemberId(1), Optional.of(new KvHash(5, 3, 7)), "")),
                Map.of("town", "Basel"));
    }
}
