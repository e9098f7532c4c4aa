package io.kjadm.cli.etcd;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.kjadm.cli.TestConsole;
import io.kjadm.cli.TestConsole.Run;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ProgramName;
import io.kjadm.core.auto.AutoPaths;
import io.kjadm.core.error.HostException;
import io.kjadm.core.phase.SilentReporter;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.Step;
import io.kjadm.etcd.auto.Step.Own;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import picocli.CommandLine;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code etcd seed} and {@code etcd auto} up to where a machine would be changed. */
class AutoCommandTest {

    @TempDir
    Path folder;

    private Run run(String... words) {
        return TestConsole.run(Stream.concat(
                        Stream.of("etcd"),
                        Stream.concat(Stream.of(words), Stream.of("--token-file=" + token())))
                .toArray(String[]::new));
    }

    private Path token() {
        return folder.resolve("token");
    }

    private String store() {
        return folder.resolve("store").toString();
    }

    @Test
    void aSeedIsWrittenOnceAndItsTokenIsForItsOwnerAlone() throws IOException {
        Run seeded = run("seed", store(), "nodes=5", "version=3.6.14", "name=blue");
        assertEquals(0, seeded.status(), seeded::all);
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(token())));
        assertFalse(seeded.out().contains(Files.readString(token()).split(" ")[1]));

        Run again = run("seed", store(), "nodes=5", "version=3.6.14", "name=blue");
        assertEquals(0, again.status(), again::all);
        Run other = run("seed", store(), "nodes=3", "version=3.6.14", "name=blue");
        assertEquals(1, other.status(), other::all);
    }

    @ParameterizedTest
    @MethodSource("wrongSeeds")
    void aWrongSeedChangesNothing(List<String> words) {
        Run run = run(Stream.concat(Stream.of("seed"), words.stream()).toArray(String[]::new));
        assertEquals(1, run.status(), run::all);
        assertFalse(Files.exists(token()));
    }

    /** Its settings have equals signs, as those of the cluster. */
    @Test
    void theUrlOfABucketIsAStore() {
        Run run = run("seed", "s3://b/p?endpoint=http://127.0.0.1:1&insecure=true", "nodes=3");
        assertEquals(1, run.status(), run::all);
        assertNotEquals("the store is missing", run.error());
        assertFalse(Files.exists(token()));
    }

    static Stream<List<String>> wrongSeeds() {
        return Stream.of(
                List.of(),
                List.of("nodes=3"),
                List.of("/nonexistent/store", "nodes=0"),
                List.of("/nonexistent/store", "nodes=8"),
                List.of("/nonexistent/store", "nodes=three"),
                List.of("/nonexistent/store", "nodes=3", "nodes=5"),
                List.of("/nonexistent/store", "form-with=4"),
                List.of("/nonexistent/store", "size=3"),
                List.of("/nonexistent/store", "version=3.3.1"));
    }

    /** systemd and other machines run the command in another directory. */
    @Test
    void aRelativePathIsNoStore() {
        run("seed", store(), "nodes=3", "version=3.6.14");
        List.of(
                        run("seed", "mnt/store", "nodes=3"),
                        run("auto", "mnt/store", "--systemd"),
                        run("auto", "status", "mnt/store"),
                        run("auto", "adopt", "mnt/store"))
                .forEach(run -> {
                    assertEquals(1, run.status(), run::all);
                    assertEquals(
                            "mnt/store is not a store: it is neither an absolute path nor the URL of a bucket",
                            run.error());
                });
    }

    @Test
    void aDiskIsAcceptedWhereTheAutomaticModeHasRun() {
        assumeFalse(Files.exists(AutoPaths.IDENTITY), "the automatic mode has run on this machine");
        for (Run run :
                List.of(run("auto", "accept-disk"), run("auto", "accept-disk", "--data-lost"))) {
            assertEquals(1, run.status(), run::all);
            assertEquals(
                    "the automatic mode has not run on this machine: there is no "
                            + AutoPaths.IDENTITY,
                    run.error());
        }
        Run both = run("auto", "accept-disk", "--adopt", "--data-lost");
        assertEquals(
                "--adopt cannot be used with --data-lost: it takes over the data on the disk",
                both.error());
    }

    @Test
    void aMisspeltSettingIsNotTakenForAStore() {
        Run run = run("auto", "approve", "spec", "vrsion=3.6.15", "--yes");
        assertEquals(1, run.status(), run::all);
        assertEquals("\"vrsion=3.6.15\" is not a setting of a cluster", run.error());
    }

    /** 3.6.0 has known defects, and no operator means it by 3.6. */
    @Test
    void aMinorVersionIsNoRelease() {
        Run run = run("seed", store(), "nodes=3", "version=3.6");
        assertEquals(1, run.status(), run::all);
        assertEquals("version cannot be \"3.6\": it is not a release of etcd", run.error());
    }

    /** The daemon tries the command again: another exception would end it. */
    @Test
    void aPhaseThatFailsFailsForItsReason() {
        var why = new HostException("no room", "", "");
        var phase = new IllegalStateException("error execution phase certs", why);
        assertEquals(
                why,
                CommandSteps.failed(new CommandLine.ExecutionException(
                        new CommandLine(CommandLine.Model.CommandSpec.create()), "", phase)));
    }

    @Test
    void aPersonSeesPausesAndEndsThePause() {
        run("seed", store(), "nodes=3", "version=3.6.14", "name=blue");
        Run status = run("auto", "status", store());
        assertHasLine("Cluster blue: not formed, 0 of 3 voters, etcd 3.6.14 wanted", status.out());

        assertEquals(
                0, run("auto", "pause", store(), "--for=1h", "--reason=disks").status());
        Run paused = run("auto", "status", store(), "-o", "json");
        assertHasLine("\"pause\": 1,", paused.out());
        assertHasLine("\"pauseReason\": \"disks\",", paused.out());
        assertHasLine("\"pauseSeconds\": 3600,", paused.out());
        assertHasLine(
                "Paused for 1h0m0s (slot 1): disks",
                run("auto", "status", store()).out());
        assertEquals(0, run("auto", "pause", store()).status());
        Run other = run("auto", "pause", store(), "--for=2h");
        assertEquals(1, other.status(), other::all);
        assertEquals(
                "the automatic mode is paused already: Paused for 1h0m0s (slot 1): disks",
                other.error());
        assertTrue(run("auto", "log", store()).outLines().stream()
                .anyMatch(line -> line.endsWith("  operator  pause: disks")));
        assertEquals(0, run("auto", "resume", store()).status());
        Run twice = run("auto", "resume", store());
        assertEquals(0, twice.status(), twice::all);
        assertLinesMatch(
                List.of(
                        "1  \\S{19}Z  operator  pause: disks",
                        "    an operator asked for it",
                        "    \\$ kjadm etcd auto pause",
                        "2  \\S+  operator  resume after slot 1",
                        "    an operator asked for it",
                        "    \\$ kjadm etcd auto resume"),
                run("auto", "log", store()).outLines());
    }

    @Test
    void aStoreWithoutAClusterIsSaid() throws IOException {
        run("seed", store(), "nodes=3", "version=3.6.14");
        Files.createDirectory(folder.resolve("empty"));
        Run status = run("auto", "status", folder.resolve("empty").toString());
        assertEquals(1, status.status(), status::all);
        assertEquals("%s holds no cluster".formatted(folder.resolve("empty")), status.error());
    }

    @Test
    void aTokenThatOthersCanReadIsRefused() throws IOException {
        run("seed", store(), "nodes=3", "version=3.6.14");
        Files.setPosixFilePermissions(token(), PosixFilePermissions.fromString("rw-r--r--"));
        Run status = run("auto", "status", store());
        assertEquals(1, status.status(), status::all);
    }

    @Test
    void theOperatorsKeyIsBesideTheTokenAndIsForItsOwnerAlone() throws IOException {
        Run seeded = run("seed", store(), "nodes=3", "version=3.6.14");
        Path key = folder.resolve("etcd-auto-operator.key");
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(key)));
        assertTrue(seeded.out().contains(key.toString()), seeded::all);
        assertFalse(seeded.out().contains(Files.readString(key).lines().toList().get(1)));
    }

    @Test
    void aFolderMayDoWithoutAnOperatorsKey() {
        assertEquals(
                1,
                run("seed", "s3://b/p?endpoint=http://127.0.0.1:1", "operator-key=none")
                        .status());
        assertEquals(0, run("seed", store(), "nodes=3", "operator-key=none").status());
        assertFalse(Files.exists(folder.resolve("etcd-auto-operator.key")));
        assertEquals(0, run("auto", "retire", store(), "--yes").status());
    }

    @Test
    void onlyAnOperatorEndsTheAutomaticMode() throws IOException {
        run("seed", store(), "nodes=3", "version=3.6.14");
        Path other = Files.createDirectory(folder.resolve("other"));
        Run made = TestConsole.run("etcd", "snapshot", "key", "--into=" + other);
        assertEquals(0, made.status(), made::all);
        String own = "--operator-key=" + folder.resolve("etcd-auto-operator.key");
        String wrong = "--operator-key=" + other.resolve("snapshot-sign.key");

        assertEquals(1, run("auto", "retire", store(), "--yes").status());
        Run refused = run("auto", "retire", store(), "--yes", wrong);
        assertEquals(1, refused.status(), refused::all);
        assertEquals("", run("auto", "log", store()).out());

        Run retired = run("auto", "retire", store(), "--yes", "--reason=by hand", own);
        assertEquals(0, retired.status(), retired::all);
        assertTrue(run("auto", "log", store()).outLines().stream()
                .anyMatch(line -> line.endsWith("  operator  retire: by hand")));
        Run status = run("auto", "status", store());
        assertHasLine(
                "Cluster etcd: the automatic mode has ended, 0 of 3 voters, etcd 3.6.14 wanted",
                status.out());
        assertEquals(1, run("auto", "retire", store(), "--yes", own).status());
    }

    /** Else a person answers a question for nothing. */
    @Test
    void theOperatorsKeyIsAskedForBeforeAnythingElse() {
        run("seed", store(), "nodes=3", "version=3.6.14");
        for (List<String> command : List.of(
                List.of("auto", "retire", store()),
                List.of("auto", "approve", "spec", store(), "nodes=5"),
                List.of("auto", "approve", "restore", store(), "--none"))) {
            Run run = run(command.toArray(String[]::new));
            assertEquals(1, run.status(), run::all);
            assertEquals(
                    "the operator's key is missing: only an operator of this cluster decides that",
                    run.error());
        }
    }

    /** No member tells whether it was upgraded. */
    @Test
    void anOlderVersionIsNotApprovedUnknowing() {
        run("seed", store(), "nodes=3", "version=3.6.14");
        String key = "--operator-key=" + folder.resolve("etcd-auto-operator.key");
        Run run = run("auto", "approve", "spec", store(), "version=3.6.11", "--yes", key);
        assertEquals(1, run.status(), run::all);
        assertEquals(
                "the change is not approved: it is not known whether a member has a newer etcd than 3.6.11: there is no cluster",
                run.error());
    }

    @Test
    void aRestoreNamesOneSource() {
        run("seed", store(), "nodes=3", "version=3.6.14");
        assertEquals(1, run("auto", "approve", "restore", store(), "--yes").status());
        assertEquals(
                1,
                run("auto", "approve", "restore", store(), "--yes", "--none", "--survivor=a")
                        .status());
        // exactly one log entry may follow, and there is no cluster to restore
        assertEquals("", run("auto", "log", store()).out());
    }

    @Test
    void etcdDoesNotStartOnAMachineThatRemembersNothing() {
        run("seed", store(), "nodes=3", "version=3.6.14");
        Run check = run("auto", "check");
        assertEquals(1, check.status(), check::all);
    }

    private static String execStart(Run unit) {
        return unit.outLines().stream()
                .filter(line -> line.startsWith("ExecStart="))
                .collect(Collectors.joining("\n"));
    }

    @Test
    void theUnitRunsTheSameCommand() {
        Run unit = run("auto", store(), "--systemd", "--bind-address=10.0.0.11");
        assertEquals(
                "ExecStart=/usr/local/bin/kjadm etcd auto %s --bind-address=10.0.0.11 --token-file=%s"
                        .formatted(store(), folder.resolve("token")),
                execStart(unit));
    }

    /** systemd has signs and blanks of its own meaning, and so has a shell. */
    @Test
    void theNameOfAStoreIsQuoted() {
        Run unit = run("auto", "/mnt/a b%d", "--systemd");
        assertEquals(
                "ExecStart=/usr/local/bin/kjadm etcd auto \"/mnt/a b%%d\" --token-file="
                        + folder.resolve("token"),
                execStart(unit));
        Run seeded = run("seed", store() + " b", "nodes=3", "operator-key=none");
        assertHasLine("kjadm etcd auto '%s b'".formatted(store()), seeded.out());
    }

    /** What the log shows is what an operator could type. */
    @ParameterizedTest
    @MethodSource("steps")
    void aShownCommandIsParsed(Step step) {
        CommandLine etcd = new EtcdCommand(
                        new Console(System.out, System.err, false, ProgramName.KJADM),
                        _ -> new SilentReporter(),
                        UnaryOperator.identity())
                .build(true);
        assertDoesNotThrow(
                () -> etcd.parseArgs(step.words().stream().skip(1).toArray(String[]::new)));
    }

    static Stream<Step> steps() {
        Own own = new Own(
                "etcd1-3f1c",
                "10.0.0.11",
                EtcdVersion.parse("3.6.14"),
                List.of("--bundle=/b", "--certificate-key-file=/k", "--etcd-tarball=/t"));
        List<URI> urls = List.of(URI.create("https://10.0.0.11:2379"));
        return Stream.of(
                new Step.Init(own, "kjadm-51be"),
                new Step.Join(own, urls),
                new Step.JoinWithData(own, urls),
                new Step.Clients(List.of()),
                new Step.Clients(urls),
                new Step.Remove(new MemberId(0x16a1)),
                new Step.Reset(urls),
                new Step.Upgrade(own.version(), List.of("--etcd-tarball=/t")),
                new Step.Renew(),
                new Step.Save("s3://backups/etcd?region=eu-central-1", "age1q"));
    }
}
