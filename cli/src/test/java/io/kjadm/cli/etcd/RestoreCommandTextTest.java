package io.kjadm.cli.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ProgramName;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.SilentReporter;
import io.kjadm.etcd.SnapshotBytes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** What refusals and the journal of a restore show is what an operator can type. */
class RestoreCommandTextTest {

    private static final String NAME = "20261120t102459z-3f1c";
    private static final String MANIFEST = """
            {
              "format": 1, "name": "%s", "takenAt": "2026-11-20T10:24:59Z",
              "origin": {"clusterId": "abc", "memberId": "a1", "memberName": "cp-1", "etcdVersion": "3.6.14"},
              "snapshot": {"bytes": 3, "sha256": "00", "revision": 77, "compactRevision": 0, "entries": 1, "hash": 1,
                           "databaseBytes": 3, "consistentIndex": 1, "term": 1, "buckets": []},
              "stored": {"bytes": 3, "sha256": "00", "compression": "none", "recipients": []},
              "hashKV": [], "labels": {}
            }
            """.formatted(NAME);

    @TempDir
    Path folder;

    private final RecordingReporter out = new RecordingReporter();

    /** The words as a shell splits them. */
    private static List<String> split(String command) throws IOException {
        Process shell = new ProcessBuilder("sh", "-c", "printf '%s\\n' " + command).start();
        return new String(shell.getInputStream().readAllBytes(), UTF_8).lines().toList();
    }

    /** The words and flags that the program reads from it. */
    private static Map<String, Object> parsed(String command) throws IOException {
        CommandLine etcd = new EtcdCommand(
                        new Console(System.out, System.err, false, ProgramName.KJADM),
                        _ -> new SilentReporter(),
                        UnaryOperator.identity())
                .build(true);
        List<String> words = split(command);
        assertEquals(List.of("kjadm", "etcd"), words.subList(0, 2));
        ParseResult result = etcd.parseArgs(words.stream().skip(2).toArray(String[]::new));
        while (result.hasSubcommand()) {
            result = result.subcommand();
        }
        Map<String, Object> read = new TreeMap<>();
        result.matchedPositionals()
                .forEach(word -> read.put("word", List.copyOf(word.originalStringValues())));
        result.matchedOptions()
                .forEach(option ->
                        read.put(option.longestName(), List.copyOf(option.originalStringValues())));
        return read;
    }

    private String ofStore(CommandFlags flags) throws IOException {
        Path place = Files.createDirectories(folder.resolve("v1/snapshots/abc").resolve(NAME));
        Files.writeString(place.resolve("manifest.json"), MANIFEST);
        try (Composition composition = new Composition(out, true)) {
            return SnapshotRuns.stores(composition)
                    .use(
                            folder.toString(),
                            catalog -> SnapshotRestoreCommand.ofStore(
                                            "latest", flags, composition, catalog)
                                    .command());
        }
    }

    /** Without the evidence the same command would find another diagnosis. */
    @Test
    void aRecoveryIsDecidedTheSameAgain() throws IOException {
        CommandFlags flags = CommandFlags.none()
                .with(Flag.APPLY, "true")
                .with(Flag.ACCEPT_LOSS, "true")
                .with(Flag.EVIDENCE, "/root/node 2.json,/root/node3.json");

        Map<String, Object> read = parsed(RestoreCommandText.ofSurvivor(flags));

        assertEquals(Set.of("--apply", "--accept-loss", "--evidence"), read.keySet());
        assertEquals(List.of("/root/node 2.json", "/root/node3.json"), read.get("--evidence"));
        assertEquals(
                "kjadm etcd recover --apply",
                RestoreCommandText.ofSurvivor(CommandFlags.none().with(Flag.APPLY, "true")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "s3://backups/etcd?endpoint=https://minio:9000&region=eu-central-1",
                "/mnt/o'brien's backups"
            })
    void aSnapshotIsFoundAndAcceptedAgain(String store) throws IOException {
        Path identity = Files.writeString(folder.resolve("key"), """
                AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX
                """);
        CommandFlags flags = CommandFlags.none()
                .with(Flag.STORE, store)
                .with(Flag.CLUSTER_ID, "abc")
                .with(Flag.VERIFY_KEY, "/etc/keys/a.pub,/etc/keys/b.pub")
                .with(Flag.VERIFY_KEY, "\"/etc/keys/c,d.pub\"")
                .with(Flag.IDENTITY_FILE, identity.toString());

        assertEquals(
                Map.of(
                        "word", List.of(NAME),
                        "--store", List.of(store),
                        "--cluster-id", List.of("abc"),
                        "--verify-key",
                                List.of(
                                        "/etc/keys/a.pub",
                                        "/etc/keys/b.pub",
                                        "\"/etc/keys/c,d.pub\""),
                        "--identity-file", List.of(identity.toString())),
                parsed(ofStore(flags)));
    }

    @Test
    void withoutFlagsTheNameIsEnough() throws IOException {
        assertEquals(Map.of("word", List.of(NAME)), parsed(ofStore(CommandFlags.none())));
    }

    /** The journal is read in another directory. */
    @Test
    void aRelativePathIsAbsolute() throws IOException {
        assertEquals(
                List.of(Path.of("backups").toAbsolutePath().toString()),
                parsed(ofStore(CommandFlags.none().with(Flag.STORE, "backups"))).get("--store"));
    }

    @Test
    void aFileIsReadInTheSameWayAgain() throws IOException {
        Path file = Files.write(folder.resolve("a db"), SnapshotBytes.atRevision(5));
        CommandFlags flags = CommandFlags.none()
                .with(Flag.FORMAT, "etcdctl")
                .with(Flag.SKIP_HASH_CHECK, "true")
                .with(Flag.BUMP_REVISION, "3000000000")
                .with(Flag.ETCD_TARBALL, "/root/etcd.tar.gz");
        try (Composition composition = new Composition(out, true)) {
            String command = SnapshotRestoreCommand.ofFile(
                            file, SnapshotImportCommand.format(flags), flags, composition)
                    .command();

            assertEquals(
                    Map.of(
                            "--from-file", List.of(file.toString()),
                            "--format", List.of("etcdctl"),
                            "--skip-hash-check", List.of("true"),
                            "--bump-revision", List.of("3000000000"),
                            "--etcd-tarball", List.of("/root/etcd.tar.gz")),
                    parsed(command));
        }
    }

    @Test
    void noPasswordIsShown() {
        String command = RestoreCommandText.ofStore(
                NAME,
                CommandFlags.none()
                        .with(Flag.RELEASE_URL, "https://id:secret@mirror.example.com/etcd"));

        assertFalse(command.contains("secret"), command);
        assertEquals(
                "kjadm etcd snapshot restore %s --release-url https://USER:PASSWORD@mirror.example.com/etcd"
                        .formatted(NAME),
                command);
    }
}
