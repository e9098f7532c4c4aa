package io.kjadm.cli.etcd;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.TestConsole;
import io.kjadm.cli.TestConsole.Run;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.HelpStyle;
import io.kjadm.cli.console.LiveLine;
import io.kjadm.cli.console.ProgramName;
import io.kjadm.core.error.ClusterException;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The command line of {@code kjadm etcd}; what it does is tested in core, with a cluster in memory.
 */
class EtcdCommandTest {

    @TempDir
    Path empty;

    @ParameterizedTest
    @ValueSource(strings = {"etcd", "etcd member", "etcd alarm"})
    void aGroupAlonePrintsItsHelpAndFails(String words) {
        Run run = TestConsole.run(words.split(" "));
        assertEquals(1, run.status());
        assertTrue(run.out().startsWith("Usage: kjadm " + words), run.all());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "etcd status",
                "etcd health",
                "etcd alarm list",
                "etcd alarm disarm",
                "etcd defrag",
                "etcd member list",
                "etcd member add",
                "etcd member replace",
                "etcd member remove",
                "etcd member promote",
                "etcd member cleanup"
            })
    void everyCommandTellsWhereToLookForEtcd(String words) {
        Run run = TestConsole.run((words + " --help").split(" "));
        assertEquals(0, run.status(), run.all());
        Set<String> flags = Named.flags(run.out());
        assertTrue(
                flags.containsAll(Set.of("--endpoints", "--cert-dir", "--kubeconfig")), run.all());
        boolean changes = !List.of("status", "list", "health")
                .contains(words.substring(words.lastIndexOf(' ') + 1));
        assertEquals(changes, flags.containsAll(Set.of("--dry-run")), run.all());
        assertEquals(!changes, flags.containsAll(Set.of("--output")), run.all());
    }

    @ParameterizedTest
    @CsvSource({
        "etcd init, --certs-dir, --cert-dir --endpoints --kubeconfig",
        "etcd init phase certs, --certs-dir, --cert-dir --endpoints --kubeconfig",
        "etcd join, --certs-dir, --cert-dir --endpoints --kubeconfig",
        "etcd reset, --endpoints, --cert-dir --kubeconfig",
        "etcd download, --release-url, --cert-dir --endpoints --kubeconfig",
        "etcd upgrade, --kubeconfig, --cert-dir --endpoints",
        "etcd downgrade, --kubeconfig, --cert-dir --endpoints",
        "etcd downgrade apply, --kubeconfig, --cert-dir --endpoints",
        "etcd certs renew, --cert-dir, --endpoints",
        "etcd certs rotate-ca, --timeout, --endpoints",
        "etcd info, --endpoints, --purge-pki"
    })
    void whatACommandRefusesItsHelpDoesNotList(String words, String taken, String refused) {
        Run run = TestConsole.run((words + " --help").split(" "));
        assertEquals(0, run.status(), run.all());
        assertTrue(run.out().contains(taken), run.all());
        List.of(refused.split(" "))
                .forEach(flag -> assertFalse(run.out().contains(flag + "="), run.all()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "etcd init --endpoints https://10.0.0.1:2379",
                "etcd --endpoints https://10.0.0.1:2379 init",
                "etcd init phase certs --endpoints https://10.0.0.1:2379",
                "etcd teardown --endpoints https://10.0.0.1:2379",
                "etcd upgrade --endpoints https://10.0.0.1:2379",
                "etcd certs renew --endpoints https://10.0.0.1:2379",
                "etcd certs rotate-ca --endpoints https://10.0.0.1:2379"
            })
    void whoGivesItAllTheSameIsToldWhyNot(String words) {
        Run run = TestConsole.run(words.split(" "));
        assertEquals(1, run.status(), run.all());
        assertLinesMatch(
                List.of(
                        "error: --endpoints .*",
                        "Next: .+",
                        "To see the stack trace of this error execute with --v=5 or higher"),
                run.err().lines().toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"etcd reset", "etcd teardown", "etcd download"})
    void whereTheMembersCertificatesAreIsNotAskedWhereItIsKnown(String words) {
        Run run = TestConsole.run((words + " --cert-dir /etc/elsewhere").split(" "));
        assertEquals(1, run.status(), run.all());
        assertTrue(run.err().startsWith("error: --cert-dir cannot be used here"), run.all());
    }

    @Test
    void onlyTheStatusCanBeWatched() {
        assertTrue(Named.flags(TestConsole.run("etcd", "status", "--help").out())
                .containsAll(Set.of("--watch")));
        Run run = TestConsole.run("etcd", "member", "list", "--watch");
        assertEquals(1, run.status());
        assertEquals(
                "unknown flag \"--watch\" for \"kjadm etcd member list\"", run.error(), run.all());
    }

    @ParameterizedTest
    @ValueSource(strings = {"remove", "promote", "replace"})
    void aMemberHasToBeNamed(String verb) {
        Run run = TestConsole.run("etcd", "member", verb, "--endpoints", nobody());
        assertEquals(1, run.status());
        assertTrue(run.err().startsWith("error: a member is missing"), run.all());
        Run three = TestConsole.run("etcd", "member", verb, "a1", "a2", "a3");
        assertEquals(1, three.status());
        assertTrue(
                three.error().matches("unexpected argument \"a[23]\" for \"kjadm etcd member .*\""),
                three.all());
    }

    @Test
    void aNewMemberHasANameAndAPeerUrl() {
        assertTrue(TestConsole.run("etcd", "member", "add", "cp-4")
                .err()
                .startsWith("error: the name or the peer URL of the new member is missing"));
        assertTrue(TestConsole.run("etcd", "member", "add", "cp-4", "cp-4:2380")
                .err()
                .startsWith("error: \"cp-4:2380\" is not a peer URL"));
        assertTrue(TestConsole.run("etcd", "member", "replace", "cp-1", "https://cp-4:2380")
                .err()
                .startsWith("error: the name of the new member is missing"));
        assertTrue(TestConsole.run("etcd", "member", "replace", "cp-1", "--endpoints", nobody())
                .err()
                .startsWith("error: the peer URL of the new member is missing"));
    }

    @Test
    void wrongValuesAreRefusedBeforeAnybodyIsAsked() {
        assertEquals(
                "unknown output format \"xml\"",
                TestConsole.run("etcd", "status", "-o", "xml").error());
        assertEquals(
                "\"ftp://x\" is not an etcd endpoint: an endpoint is a client URL such as https://10.0.0.1:2379",
                TestConsole.run("etcd", "status", "--endpoints", "ftp://x").error());
        assertEquals(
                "--timeout \"soon\" is not a duration",
                TestConsole.run("etcd", "member", "promote", "a1", "--timeout", "soon")
                        .error());
        assertEquals(
                "--require \"some\" is neither quorum nor all",
                TestConsole.run("etcd", "health", "--require", "some").error());
        assertEquals(
                "--threshold \"45\" is not a number from 0 to 1",
                TestConsole.run("etcd", "defrag", "--threshold", "45").error());
        assertEquals(
                "--min-free \"much\" is not a size",
                TestConsole.run("etcd", "defrag", "--min-free", "much").error());
        assertEquals(
                "--pause \"-1s\" is not a duration",
                TestConsole.run("etcd", "defrag", "--pause", "-1s").error());
        assertEquals(
                "--compact-keep is not a number: \"-1\" was given",
                TestConsole.run("etcd", "alarm", "disarm", "--compact-keep", "-1")
                        .error());
        assertEquals(
                "--quota-backend-bytes \"big\" is not a size",
                TestConsole.run("etcd", "alarm", "disarm", "--quota-backend-bytes", "big")
                        .error());
        assertEquals(
                "unknown flag \"--force\" for \"kjadm etcd member remove\"",
                TestConsole.run("etcd", "member", "remove", "a1", "--force").error());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "status",
                "status -o json",
                "health",
                "alarm list",
                "alarm disarm",
                "defrag",
                "member list",
                "member add cp-4 https://cp-4:2380",
                "member add cp-4 https://cp-4:2380,https://10.0.0.4:2380 https://[fd00::4]:2380",
                "member replace cp-1 https://cp-4:2380 --name cp-4 --yes",
                "member remove cp-1",
                "member promote cp-1",
                "member cleanup --yes"
            })
    void whereNobodyAnswersEveryEndpointIsNamed(String words) {
        String one = nobody();
        String other = nobody();
        List<String> arguments = new ArrayList<>(List.of("etcd"));
        arguments.addAll(List.of(words.split(" ")));
        arguments.addAll(List.of(
                "--endpoints",
                one + "," + other,
                "--kubeconfig",
                empty.resolve("none").toString()));
        Run run = TestConsole.run(arguments.toArray(String[]::new));
        assertEquals(1, run.status());
        assertEquals("", run.out());
        assertEquals(
                "no etcd member returned the member list: %s: io exception: Connection refused; %s: io exception: Connection refused"
                        .formatted(one, other),
                run.error(),
                run.all());
        assertHasLine(
                "Next: check that etcd runs (crictl ps --name etcd, or systemctl status etcd), or name members that do with --endpoints",
                run.err());
    }

    @Test
    void withoutCertificatesTheMissingFileIsNamed() {
        Run run = TestConsole.run(
                "etcd", "status", "--endpoints", "127.0.0.1:1", "--cert-dir", empty.toString());
        assertEquals(1, run.status());
        assertTrue(
                run.err().contains(empty.resolve("etcd").resolve("ca.crt").toString()), run.all());
    }

    // ---- watching

    @Test
    void inAPipeOneBlockFollowsTheOtherUntilTheProgramIsStopped() {
        assertEquals(
                "block 1\n\nblock 2\n\nblock 3\n",
                watched(false, "\n", List.of("block 1\n", "block 2\n", "block 3\n")));
    }

    @Test
    void aTerminalIsDrawnAnew() {
        assertEquals(
                "\033[H\033[2Jone\033[K\n\033[J" + "\033[Htwo\033[K\n\033[J",
                watched(true, "\n", List.of("one\n", "two\n")));
    }

    @Test
    void whatCannotBeShownForAMomentIsAskedForAgain() {
        assertEquals("one\n---\nthree\n", watched(false, "---\n", List.of("one\n", "", "three\n")));
    }

    /** An empty block stands for a look that fails; the last one is followed by Ctrl-C. */
    private static String watched(boolean terminal, String separator, List<String> blocks) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream nowhere =
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
        PrintStream shown = new PrintStream(out, true, StandardCharsets.UTF_8);
        Console console = new Console(
                shown,
                shown,
                nowhere,
                new Console.Terminal(LiveLine.none(), terminal, HelpStyle.PLAIN),
                ProgramName.KJADM,
                Optional.empty());
        List<String> left = new ArrayList<>(blocks);
        new EtcdWatch(console, separator, (reason, interval) -> {
                    if (left.isEmpty()) {
                        Thread.currentThread().interrupt();
                        throw new ClusterException("interrupted", "", "");
                    }
                })
                .show(() -> {
                    String block = left.removeFirst();
                    if (block.isEmpty()) {
                        throw new ClusterException("no member responds", "", "");
                    }
                    return block;
                });
        assertTrue(Thread.interrupted());
        assertFalse(Thread.currentThread().isInterrupted());
        return out.toString(StandardCharsets.UTF_8);
    }

    /** An address where nothing listens. */
    private static String nobody() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return "http://127.0.0.1:" + socket.getLocalPort();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
