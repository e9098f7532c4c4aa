package io.kjadm.cli.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.abort;

import io.kjadm.cli.TestConsole;
import io.kjadm.cli.TestConsole.Run;
import io.kjadm.cli.wiring.HostLock;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.HostFiles.Claim;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The command lines of {@code kjadm etcd upgrade} and {@code downgrade}; what they do is tested in
 * core.
 */
class EtcdUpgradeCommandsTest {

    @TempDir
    Path empty;

    private Run run(String words) {
        return TestConsole.run(Stream.concat(
                        Stream.of(words.split(" ")),
                        Stream.of("--kubeconfig", empty.resolve("none.conf").toString()))
                .toArray(String[]::new));
    }

    /** As another kjadm on this machine would; who may not is told so by nobody. */
    private static Claim lock() {
        try {
            return new DiskFiles().claim(HostLock.LOCK).orElseGet(() -> abort("it is held"));
        } catch (HostException e) {
            return abort(e.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "etcd upgrade --plan",
                "etcd upgrade 3.6.14 --plan",
                "etcd downgrade apply 3.5.30 --plan",
                "etcd downgrade validate 3.5",
                "etcd upgrade --dry-run"
            })
    void whatChangesNothingGoesOnBesideAnotherRun(String words) {
        try (Claim _ = lock()) {
            Run run = run(words);
            assertEquals(1, run.status());
            assertEquals(
                    "there is no kubeconfig %s: it is needed to talk to the API server"
                            .formatted(empty.resolve("none.conf")),
                    run.error());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "etcd upgrade",
                "etcd downgrade apply 3.5.30",
                "etcd downgrade enable 3.5",
                "etcd downgrade cancel"
            })
    void whatChangesThisMachineWaitsForNoOther(String words) {
        try (Claim _ = lock()) {
            Run run = run(words);
            assertEquals(1, run.status());
            assertEquals(
                    "another kjadm is running on this machine: it holds the lock on "
                            + HostLock.LOCK,
                    run.error(),
                    run.all());
        }
    }

    @Test
    void theVersionOfADowngradeIsNamed() {
        assertEquals(
                "the etcd version is missing", run("etcd downgrade validate").error());
    }

    /** Scripts may still have it; both need a reason. */
    @ParameterizedTest
    @ValueSource(strings = {"--skip-check", "--skip-gate"})
    void aCheckIsSkippedByTheOldNameOfTheFlagToo(String flag) {
        Run run = run("etcd upgrade 3.6.14 --plan " + flag + "=EtcdPatchFirst");
        assertEquals(
                "a check is skipped without a reason: the reason is stored with the journal",
                run.error(),
                run.all());
        run = run("etcd upgrade 3.6.14 --plan --reason tested " + flag + "=NoSuchCheck");
        assertEquals("there is no check \"NoSuchCheck\"", run.error(), run.all());
        assertEquals(
                Set.of(
                        "--allow-insecure-release-server",
                        "--dry-run",
                        "--etcd-tarball",
                        "--help",
                        "--image-tag",
                        "--kubeconfig",
                        "--log-format",
                        "--plan",
                        "--reason",
                        "--release-url",
                        "--rootfs",
                        "--skip-check",
                        "--soak",
                        "--yes"),
                Named.flags(run("etcd upgrade --help").out()));
    }
}
