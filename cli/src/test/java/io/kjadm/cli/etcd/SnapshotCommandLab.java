package io.kjadm.cli.etcd;

import io.kjadm.cli.TestConsole;
import io.kjadm.cli.TestConsole.Run;

import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The command line of {@code kjadm etcd snapshot}, and a folder with one snapshot. */
abstract class SnapshotCommandLab {

    static final String NAME = "20261120t102459z-3f1c";
    static final String PLACE = "v1/snapshots/d1cfaf999eb97a2a/" + NAME;

    static final String MANIFEST = """
            {
              "format": 1, "name": "%s", "takenAt": "2026-11-20T10:24:59Z",
              "origin": {"clusterId": "d1cfaf999eb97a2a", "memberId": "a1", "memberName": "cp-1", "etcdVersion": "3.6.14"},
              "snapshot": {"bytes": 3, "sha256": "00", "revision": 77, "compactRevision": 0, "entries": 1, "hash": 1,
                           "databaseBytes": 3, "consistentIndex": 1, "term": 1, "buckets": []},
              "stored": {"bytes": 3, "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                         "compression": "none", "recipients": []},
              "hashKV": [], "labels": {"reason": "upgrade"}, "later": {"field": 1}
            }
            """.formatted(NAME);

    @TempDir
    Path store;

    void snapshot() throws IOException {
        Path place = Files.createDirectories(store.resolve(PLACE));
        Files.writeString(place.resolve("data"), "abc");
        Files.writeString(place.resolve("manifest.json"), MANIFEST);
    }

    Run run(String words) {
        return TestConsole.run(
                Stream.concat(Stream.of(words.split(" ")), Stream.of("--store", store.toString()))
                        .toArray(String[]::new));
    }
}
