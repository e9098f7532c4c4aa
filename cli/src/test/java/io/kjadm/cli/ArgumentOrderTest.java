package io.kjadm.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.TestConsole.Run;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Set;

class ArgumentOrderTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // kubespray's two lines
                "--kubeconfig F token create | token create --kubeconfig F",
                "init phase --config F upload-certs --upload-certs"
                        + " | init phase upload-certs --config F --upload-certs",
                "--kubeconfig=F token delete T | token delete T --kubeconfig=F",
                "-v 5 init --dry-run | init -v 5 --dry-run",
                "-v5 --dry-run init | init -v5 --dry-run",
                "--vmodule a=1 --rootfs / version | version --vmodule a=1 --rootfs /",
                // the value of a flag is no command, whatever it is called
                "--node-name init join A:6443 | join A:6443 --node-name init",
                "config images -o json list | config images list -o json",
                "-yf upgrade apply v1 | upgrade apply v1 -yf",
                "reset -fo json phase | reset phase -fo json",
                "reset -fojson phase | reset phase -fojson",
                "config validate --config - | config validate --config -",
                "config validate --dry-run - | config validate - --dry-run",
                // of a flag that no command has, too
                "--foo init | --foo init",
                "--foo=1 init | init --foo=1",
                "init --config | init --config",
                // underscores, but not in values
                "init --kubernetes_version=v1_2 --node_name a_b"
                        + " | init --kubernetes-version=v1_2 --node-name a_b",
                "--dry_run init | init --dry-run",
                "join --token -- A | join A --token --",
                "init --dry-run -- --node_name x | init --dry-run -- --node_name x",
                "--help token | --help token",
                "token --help create | token create --help"
            })
    void wordsComeFirst(String given, String ordered) {
        assertEquals(ordered, String.join(" ", ArgumentOrder.of(given.split(" "))));
    }

    @Test
    void nothingStaysNothing() {
        assertEquals(0, ArgumentOrder.of().length);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--kubeconfig /nonexistent/a.conf token create",
                "token --kubeconfig /nonexistent/a.conf create",
                "--dry-run --kubeconfig=/nonexistent/a.conf token delete abcdef",
                "init phase --config /nonexistent/a.conf upload-certs --upload-certs",
                "--config /nonexistent/a.conf init --skip_token_print",
                "--config=/nonexistent/a.conf config validate"
            })
    void aFlagMayStandBeforeTheCommandThatKnowsIt(String words) {
        Run run = TestConsole.run(words.split(" "));
        assertEquals(1, run.status());
        assertEquals(Set.of("/nonexistent/a.conf"), Named.files(run.error()), run.all());
    }

    @Test
    void aFlagThatTheCommandDoesNotKnowIsRefusedWhereverItStands() {
        Run run = TestConsole.run("--upload-certs", "token", "generate");
        assertEquals(1, run.status());
        assertEquals("", run.out());
        assertTrue(
                run.err()
                        .startsWith(
                                "error: unknown flag \"--upload-certs\" for \"kjadm token generate\""),
                run.all());
    }

    @Test
    void aFlagThatNoCommandHasIsNamed() {
        Run run = TestConsole.run("--foo", "version");
        assertEquals(1, run.status());
        assertTrue(run.err().startsWith("error: unknown flag \"--foo\" for \"kjadm\""), run.all());
    }

    @Test
    void verbosityBySourceFileIsAcceptedAndIgnored() {
        assertEquals(0, TestConsole.run("--vmodule", "a=1", "version").status());
        assertEquals(
                0, TestConsole.run("token", "generate", "--vmodule=a=1,b=2").status());
    }
}
