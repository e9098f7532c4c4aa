package io.kjadm.cli.etcd;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kjadm.cli.TestConsole;
import io.kjadm.cli.TestConsole.Run;
import io.kjadm.cli.console.Console;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SnapshotBytes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.zip.GZIPInputStream;

/** The command line of {@code kjadm etcd snapshot}, on folders; what it does is tested in core. */
class SnapshotCommandTest extends SnapshotCommandLab {

    @Test
    void theListShowsWhatIsThere() throws IOException {
        snapshot();
        Files.createDirectories(store.resolve("v1/snapshots/d1cfaf999eb97a2a/20261121t000000z-1"));
        Files.writeString(
                store.resolve("v1/snapshots/d1cfaf999eb97a2a/20261121t000000z-1/data"), "a");

        Run table = run("etcd snapshot list");
        assertEquals(0, table.status(), table.all());
        assertHasLine(
                "20261120t102459z-3f1c   d1cfaf999eb97a2a   77         0.0 KiB   db             no        <none>     reason=upgrade",
                table.out());
        assertHasLine(
                "20261121t000000z-1      d1cfaf999eb97a2a   ?          ?         not finished   <none>    <none>     <none>",
                table.out());

        Run json = run("etcd snapshot list -o jsonpath={.revision}");
        assertEquals("77", json.out(), json.all());
    }

    @Test
    void anEmptyStoreIsAnEmptyListAndHasNoLatest() {
        assertEquals(0, run("etcd snapshot list").status());
        Run verify = run("etcd snapshot verify");
        assertEquals(1, verify.status());
        assertEquals("there is no snapshot \"latest\" in " + store, verify.error(), verify.all());
    }

    @Test
    void verifyTellsByItsExitStatus() throws IOException {
        snapshot();
        Run sum = run("etcd snapshot verify --level sum");
        assertEquals(0, sum.status(), sum.all());

        Run structure = run("etcd snapshot verify --log-format=json " + NAME);
        assertEquals(1, structure.status());
        assertEquals("Damaged", structure.reason(), structure.all());
        assertHasLine(
                "20261120t102459z-3f1c   d1cfaf999eb97a2a   77         0.0 KiB   db          no        FAILED     reason=upgrade",
                run("etcd snapshot list").out());
    }

    /** As the reset of a last member leaves one: a file that no store lists. */
    @Test
    void aFileIsVerifiedWithoutAStore(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("etcd-d1cfaf999eb97a2a-20261120-102459.db");
        try (InputStream packed =
                        SnapshotBytes.class.getResourceAsStream("snapshot/etcd-3.5.30.db.gz");
                InputStream snapshot = new GZIPInputStream(packed)) {
            Files.write(file, snapshot.readAllBytes());
        }

        Run good = run("etcd snapshot verify " + file);
        assertEquals(0, good.status(), good.all());
        assertEquals(0, run("etcd snapshot verify --level sum " + file).status());
        assertEquals(1, run("etcd snapshot verify --level drill " + file).status());
        Run signed = run("etcd snapshot verify --verify-key /v.pub " + file);
        assertEquals(1, signed.status(), signed.all());
        assertEquals(
                "--verify-key cannot be used with a file: a file has no signature, no encryption and no cluster ID",
                signed.error(),
                signed.all());

        byte[] damaged = Files.readAllBytes(file);
        damaged[damaged.length / 2] ^= 1;
        Files.write(file, damaged);
        assertEquals(1, run("etcd snapshot verify " + file).status());
        assertEquals(0, run("etcd snapshot list -o json").out().split("\"name\"").length - 1);
    }

    @Test
    void aScheduleRunsWhatWasTyped() {
        Run units = run("etcd snapshot schedule --systemd --every 6h --label a=b --keep-last 3");
        assertEquals(0, units.status(), units.all());
        assertHasLine(
                "ExecStart=/usr/local/bin/kjadm etcd snapshot save --store=%s --label=a=b"
                        .formatted(store),
                units.out());
        assertHasLine(
                "ExecStart=/usr/local/bin/kjadm etcd snapshot prune --store=%s --keep-last=3"
                        .formatted(store),
                units.out());

        Run keys = run(
                "etcd snapshot schedule --cron-job --image x --sign-key s.key --verify-key /v.pub");
        String signing = Path.of("s.key").toAbsolutePath().toString();
        assertHasLine("- --sign-key=" + signing, keys.out());
        assertHasLine("path: " + signing, keys.out());
        assertHasLine("- --verify-key=/v.pub", keys.out());
        assertHasLine("- mountPath: /v.pub", keys.out());

        Run job = run("etcd snapshot schedule --cron-job --image x");
        assertEquals(0, job.status(), job.all());
        assertHasLine("path: " + store, job.out());
    }

    @Test
    void aRunThatFailsIsInItsMetrics(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("kjadm.prom");
        String save = "etcd snapshot save --endpoints http://127.0.0.1:1 --metrics-file " + file;

        assertEquals(1, run(save + " --dry-run").status());
        assertFalse(Files.exists(file));
        assertEquals(1, run(save).status());

        assertHasLine("kjadm_etcd_backup_last_run_success 0", Files.readString(file));
    }

    /** It was restored from b0, and that one from a9. */
    @Test
    void aSnapshotOfARestoredClusterIsLabelledWithTheClustersBefore() {
        HostFiles files = new MemoryFiles()
                .with(
                        "/var/lib/kjadm/etcd-lineage.json",
                        "{\"clusters\": {\"c1\": [\"b0\"], \"b0\": [\"a9\"]}}");
        Map<String, String> typed = Map.of("reason", "upgrade");

        assertEquals(
                Map.of("reason", "upgrade", "restored-from", "a9,b0"),
                SnapshotSaveCommand.labelled(typed, Optional.of("c1"), files));
        assertEquals(typed, SnapshotSaveCommand.labelled(typed, Optional.of("a9"), files));
        assertEquals(typed, SnapshotSaveCommand.labelled(typed, Optional.empty(), files));
        Map<String, String> own = Map.of("restored-from", "77");
        assertEquals(own, SnapshotSaveCommand.labelled(own, Optional.of("c1"), files));
    }

    /** The success of the run before must not stay in the metrics. */
    @Test
    void aRunThatEndsWithAnErrorIsInItsMetrics(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("kjadm.prom");
        Files.writeString(file, """
                kjadm_etcd_backup_covered_revision 77
                kjadm_etcd_backup_last_run_success 1
                """);
        EtcdSessions dying = new EtcdSessions(
                console(),
                _ -> {
                    throw new OutOfMemoryError("Java heap space");
                },
                UnaryOperator.identity());
        CommandLine save = new SnapshotSaveCommand(dying, RecordingReporter::new).build();

        assertThrows(
                OutOfMemoryError.class,
                () -> save.execute(store.toString(), "--metrics-file", file.toString()));

        String metrics = Files.readString(file);
        assertHasLine("kjadm_etcd_backup_last_run_success 0", metrics);
        assertHasLine("kjadm_etcd_backup_covered_revision 77", metrics);
    }

    private static Console console() {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, UTF_8);
        return new Console(nowhere, nowhere, false);
    }

    /** Both are there, and a script calls what is not. */
    @Test
    void anEtcdThatDoesNotRunIsNamed(@TempDir Path folder) throws IOException {
        snapshot();
        for (String name : List.of("etcd", "etcdutl")) {
            Path program = Files.writeString(folder.resolve(name), "#!/bin/sh\nexec nothing\n");
            assertTrue(program.toFile().setExecutable(true));
        }

        Run run = run("etcd snapshot verify --level drill --etcd-bin " + folder);

        assertEquals(
                "there is no etcd to restore the snapshot with: '%s/etcd --version' fails, or tells no version of etcd"
                        .formatted(folder),
                run.error(),
                run.all());
    }

    @Test
    void aDrillThatCannotBePlayedIsNoVerification(@TempDir Path empty) throws IOException {
        snapshot();

        Run run = run("etcd snapshot verify --level drill --etcd-bin " + empty);

        assertEquals(1, run.status(), run.all());
        assertEquals(
                "there is no etcd to restore the snapshot with: none of [%s] has both etcd and etcdutl"
                        .formatted(empty),
                run.error(),
                run.all());
        List<String> table = run("etcd snapshot list").outLines();
        assertEquals("VERIFIED", table.getFirst().split(" {2,}")[6]);
        assertEquals("<none>", table.getLast().split(" {2,}")[6]);
    }

    @Test
    void aCopyIsTheSameSnapshotElsewhere(@TempDir Path target) throws IOException {
        snapshot();
        Run dry = run("etcd snapshot copy latest %s --dry-run".formatted(target));
        assertEquals(0, dry.status(), dry.all());
        assertFalse(Files.exists(target.resolve("v1")));

        Run copy = run("etcd snapshot copy latest " + target);

        assertEquals(0, copy.status(), copy.all());
        assertEquals("abc", Files.readString(target.resolve(PLACE).resolve("data")));
        assertEquals(
                Files.readString(store.resolve(PLACE).resolve("manifest.json")),
                Files.readString(target.resolve(PLACE).resolve("manifest.json")));
        Run again = run("etcd snapshot copy latest " + target);
        assertEquals(0, again.status(), again.all());
        Files.writeString(target.resolve(PLACE).resolve("manifest.json"), MANIFEST + " ");
        Run other = run("etcd snapshot copy latest " + target);
        assertEquals(1, other.status());
        assertEquals(
                target
                        + " has v1/snapshots/d1cfaf999eb97a2a/20261120t102459z-3f1c/manifest.json already: another program has written it, or the clock went back",
                other.error(),
                other.all());
    }

    @Test
    void whatAKilledSaveLeftIsListedAndPruned() throws IOException {
        Path part = store.resolve("v1/snapshots/abc/20260101t000000z-aaaa")
                .resolve(".part-0123456789abcdef");
        Files.createDirectories(part.getParent());
        Files.write(part, new byte[9]);
        Run list = run("etcd snapshot list");
        assertHasLine(
                "20260101t000000z-aaaa   abc       ?          ?         not finished   <none>    <none>     <none>",
                list.out());
        assertEquals(0, run("etcd snapshot prune").status());
        assertTrue(Files.exists(part));

        Files.setLastModifiedTime(part, FileTime.from(Instant.parse("2026-01-01T00:00:00Z")));
        Run dry = run("etcd snapshot prune --dry-run");
        assertHasLine(
                "[dryrun] Would delete the unfinished v1/snapshots/abc/20260101t000000z-aaaa/.part-0123456789abcdef",
                dry.out());
        assertTrue(Files.exists(part));
        Run prune = run("etcd snapshot prune");
        assertEquals(0, prune.status(), prune.all());

        assertFalse(Files.exists(store.resolve("v1")), prune.all());
    }

    @Test
    void pruneRemovesWhatIsNotKept() throws IOException {
        snapshot();
        String none =
                "--keep-last 0 --keep-hourly 0 --keep-daily 0 --keep-weekly 0 --keep-monthly 0";
        Run kept = run("etcd snapshot prune");
        assertHasLine("[snapshot] No snapshot is too old", kept.out());
        Run dry = run("etcd snapshot prune --dry-run " + none);
        assertTrue(dry.out().contains(NAME), dry.all());
        assertTrue(Files.exists(store.resolve(PLACE).resolve("data")));

        assertEquals(0, run("etcd snapshot prune " + none).status());

        assertFalse(Files.exists(store.resolve("v1/snapshots/d1cfaf999eb97a2a")));
    }

    @Test
    void metricsThatCannotBeWrittenHideNoFailure() throws IOException {
        Path file = Files.writeString(store.resolve("file"), "");

        Run run = run("etcd snapshot save --endpoints https://127.0.0.1:1 --cert-dir /nowhere"
                + " --metrics-file " + file.resolve("kjadm.prom"));

        assertEquals(1, run.status(), run.all());
        assertLinesMatch(
                List.of(
                        "W the metrics of this run were not written, .*",
                        "error: the file /nowhere/etcd/ca.crt is missing:"
                                + " etcd cannot be reached without it",
                        "Next: .*",
                        "To see the stack trace of this error execute with --v=5 or higher"),
                run.err().lines().toList());
    }

    @ParameterizedTest
    @CsvSource({
        "etcd snapshot save ftp://x, ftp",
        "etcd snapshot save s3://id:secret@bucket/p, credentials",
        "etcd snapshot save --compress zip, zip",
        "etcd snapshot save --encrypt-to age1nobody, age1nobody",
        "etcd snapshot save --label reason, reason",
        "etcd snapshot save --verify closely, closely",
        "etcd snapshot verify --level closely, closely",
        "etcd snapshot save --verify drill --encrypt-to age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj, cannot be verified",
        "etcd snapshot verify --identity-file /nowhere, /nowhere",
        "etcd snapshot save --with-pki, encrypt-to",
        "etcd snapshot pki, into",
        "etcd snapshot pki --into /x --allow-path /y --identity-file /nowhere, /nowhere",
        "etcd snapshot schedule, --systemd",
        "etcd snapshot schedule --systemd --cron-job, either --systemd or --cron-job",
        "etcd snapshot schedule --cron-job, image",
        "etcd snapshot schedule --systemd --every 7m, 7m",
        "etcd snapshot schedule --systemd --every often, often",
        "etcd snapshot schedule --systemd --with-pki, encrypt-to",
        "etcd snapshot import, the file",
        "etcd snapshot import /nowhere, /nowhere",
        "etcd snapshot import /nowhere --format tar, tar",
        "etcd snapshot restore, the snapshot is missing",
        "etcd snapshot restore latest --from-file /x, more than one snapshot",
        "etcd snapshot restore latest --undo, cannot be used with a snapshot",
        "etcd snapshot restore --from-file /x --undo, cannot be used with a snapshot",
        "etcd snapshot restore --from-file /x --format tar, tar",
        "etcd snapshot prune --keep-last many, keep-last",
        "etcd snapshot copy latest, the store",
    })
    void whatIsMistypedIsRefusedAndNamed(String words, String named) {
        Run run = run(words);
        assertEquals(1, run.status(), run.all());
        assertTrue(run.err().contains(named), run.all());
        assertFalse(run.all().contains("secret"), run.all());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"save", "list", "key", "verify", "copy", "import", "pki", "prune", "schedule"
            })
    void everyCommandKnowsTheStore(String verb) {
        Run run = TestConsole.run("etcd", "snapshot", verb, "--help");
        assertEquals(0, run.status(), run.all());
        assertTrue(Named.flags(run.out()).containsAll(Set.of("--store")), run.all());
    }
}
