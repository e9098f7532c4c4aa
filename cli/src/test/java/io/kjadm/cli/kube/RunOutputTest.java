package io.kjadm.cli.kube;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.kjadm.cli.TestConsole;
import io.kjadm.cli.TestConsole.Run;
import io.kjadm.cli.console.ProgramName;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** {@code -o} of the workflows, as far as dry runs and refusals go without a cluster. */
public class RunOutputTest {

    private static final String TOKEN = "abcdef.0123456789abcdef";
    private static final String KEY = "ab".repeat(32);

    @TempDir
    Path folder;

    /** The one object on standard output, and nothing behind it. */
    public static JsonNode object(Run run) throws IOException {
        return new ObjectMapper()
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .readTree(run.out());
    }

    /** ECDSA keys, as RSA ones take seconds. */
    private Path config(String init, String cluster) throws IOException {
        return Files.writeString(Files.createTempFile(folder, "init", ".yaml"), """
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: InitConfiguration
                localAPIEndpoint: {advertiseAddress: 192.0.2.10}
                nodeRegistration: {name: cp-1, criSocket: "unix:///run/c.sock"}
                bootstrapTokens: [{token: %s}]
                certificateKey: %s
                %s
                ---
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: v1.36.2
                encryptionAlgorithm: ECDSA-P256
                %s
                """.formatted(
                        TOKEN, KEY, init, cluster));
    }

    private Run init(String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of(
                "init",
                "-o=json",
                "--dry-run",
                "--skip-phases=preflight",
                "--config=" + config("", "controlPlaneEndpoint: cp.example:6443")));
        words.addAll(List.of(more));
        return TestConsole.run(words.toArray(String[]::new));
    }

    private static Run join(String... more) {
        List<String> words = new ArrayList<>(List.of(
                "join",
                "192.0.2.1:6443",
                "-o=json",
                "--dry-run",
                "--ignore-preflight-errors=all",
                "--cri-socket=unix:///nowhere.sock",
                "--node-name=node-1",
                "--token=" + TOKEN,
                "--discovery-token-ca-cert-hash=sha256:" + "0".repeat(64)));
        words.addAll(List.of(more));
        return TestConsole.run(words.toArray(String[]::new));
    }

    @Test
    void initTellsWhatItDidAndNothingElseOnStandardOutput() throws IOException {
        Run run = init();
        assertEquals(0, run.status(), run.all());
        JsonNode result = object(run);
        assertEquals("output.kjadm.io/v1alpha1", result.path("apiVersion").asText());
        assertEquals("RunResult", result.path("kind").asText());
        assertEquals("init", result.path("command").asText());
        assertTrue(result.path("succeeded").asBoolean(), run.all());
        assertTrue(result.path("dryRun").asBoolean(), run.all());
        assertEquals("cp-1", result.path("nodeName").asText());
        assertEquals("v1.36.2", result.path("kubernetesVersion").asText());
        assertTrue(result.path("controlPlane").asBoolean(), run.all());
        assertTrue(result.path("problem").isMissingNode(), run.all());
        assertTrue(result.path("etcd").isMissingNode(), "nothing was started: " + run.all());
        List<String> phases = result.path("phases").findValuesAsText("name");
        assertTrue(phases.containsAll(List.of("certs/ca", "etcd/local")), run.all());
        assertEquals(
                InitPhases.AFTER_PREFLIGHT,
                phases.stream().filter(name -> name.matches("[a-z-]+")).toList());
        assertTrue(
                result.path("seconds").asDouble()
                        >= Stream.of(result.path("phases"))
                                .flatMap(list -> list.findValues("seconds").stream())
                                .mapToDouble(JsonNode::asDouble)
                                .max()
                                .orElseThrow(),
                run.all());
    }

    @Test
    void filesAreListedWithWhatHappenedToThem() throws IOException {
        JsonNode files = object(init()).path("files");
        List<String> paths = files.findValuesAsText("path");
        assertTrue(
                paths.containsAll(List.of(
                        "/etc/kubernetes/admin.conf",
                        "/etc/kubernetes/manifests/etcd.yaml",
                        "/etc/kubernetes/pki/ca.crt",
                        "/var/lib/kubelet/config.yaml")),
                paths.toString());
        files.forEach(
                file -> assertEquals("written", file.path("action").asText(), file.toString()));
    }

    @Test
    void whatPeopleReadGoesToStandardError() throws IOException {
        Run run = init();
        assertHasLine("[certs] Generating \"ca\" certificate and key", run.err());
        assertHasLine(
                "[dryrun] Would write file \"/etc/kubernetes/admin.conf\" with content:",
                run.err());
        assertFalse(run.outLines().stream().anyMatch(line -> line.startsWith("[")), run.all());
    }

    @Test
    void joinCommandsAreInTheObjectAlone() throws IOException {
        Run run = init("--upload-certs");
        JsonNode commands = object(run).path("joinCommands");
        assertEquals(1, commands.size(), run.all());
        assertTrue(
                commands.path(0)
                        .path("worker")
                        .asText()
                        .startsWith("kjadm join cp.example:6443 --token " + TOKEN
                                + " --discovery-token-ca-cert-hash sha256:"),
                commands.toString());
        assertTrue(
                commands.path(0)
                        .path("controlPlane")
                        .asText()
                        .endsWith(" --control-plane --certificate-key " + KEY),
                commands.toString());
        assertFalse(run.err().contains("0123456789abcdef"), run.err());
        assertFalse(run.err().contains(KEY), run.err());
    }

    @Test
    void joinCommandsWithholdWhatTheTextWithholds() throws IOException {
        Run run = init("--upload-certs", "--skip-token-print", "--skip-certificate-key-print");
        JsonNode commands = object(run).path("joinCommands");
        String join = "kjadm join cp\\.example:6443 --token <value withheld>"
                + " --discovery-token-ca-cert-hash sha256:[0-9a-f]{64}";
        assertLinesMatch(
                List.of(join, join + " --control-plane --certificate-key <value withheld>"),
                Stream.of("worker", "controlPlane")
                        .map(kind -> commands.path(0).path(kind).asText())
                        .toList());
        assertFalse(run.all().contains("0123456789abcdef"), run.all());
        assertFalse(run.all().contains(KEY), run.all());
    }

    @Test
    void withoutAnEndpointThereIsNoCommandForControlPlanes() throws IOException {
        JsonNode commands = object(init("--config=" + config("", ""))).path("joinCommands");
        assertTrue(commands.path(0).has("worker"), commands.toString());
        assertFalse(commands.path(0).has("controlPlane"), commands.toString());
    }

    @Test
    void commandsHaveTheNameThatTheProgramIsCalledBy() throws IOException {
        Run run = TestConsole.runAs(
                ProgramName.KUBEADM,
                "init",
                "-ojsonpath={.joinCommands[0].worker}",
                "--dry-run",
                "--skip-phases=preflight",
                "--config=" + config("", ""));
        assertTrue(run.out().startsWith("kubeadm join 192.0.2.10:6443 --token "), run.all());
        assertEquals(1, run.outLines().size(), run.all());
    }

    @Test
    void joinTellsTheVersionThatTheClusterHas() throws IOException {
        Run run = join("--control-plane", "--certificate-key=" + KEY);
        assertEquals(0, run.status(), run.all());
        JsonNode result = object(run);
        assertEquals("join", result.path("command").asText());
        assertEquals("node-1", result.path("nodeName").asText());
        assertTrue(result.path("kubernetesVersion").asText().startsWith("v1."), run.all());
        assertTrue(result.path("controlPlane").asBoolean(), run.all());
        assertFalse(result.has("joinCommands"), run.all());
        assertFalse(result.has("etcd"), run.all());
        // the manifests have their last names
        assertEquals(
                List.of(
                        "/etc/kubernetes/admin.conf",
                        "/etc/kubernetes/controller-manager.conf",
                        "/etc/kubernetes/manifests/etcd.yaml",
                        "/etc/kubernetes/manifests/kube-apiserver.yaml",
                        "/etc/kubernetes/manifests/kube-controller-manager.yaml",
                        "/etc/kubernetes/manifests/kube-scheduler.yaml",
                        "/etc/kubernetes/scheduler.conf",
                        "/var/lib/kubelet/config.yaml",
                        "/var/lib/kubelet/instance-config.yaml",
                        "/var/lib/kubelet/kubeadm-flags.env"),
                result.path("files").findValuesAsText("path").stream()
                        .filter(path -> !path.startsWith("/etc/kubernetes/pki/"))
                        .toList());
        assertFalse(run.all().contains("0123456789abcdef"), "the token is not shown");
    }

    @Test
    void aWorkerIsNoControlPlane() throws IOException {
        assertFalse(object(join()).path("controlPlane").asBoolean(true));
    }

    @Test
    void resetTellsWhatTheNodeWas() throws IOException {
        Run run = TestConsole.run(
                "reset",
                "--dry-run",
                "-o",
                "yaml",
                "--ignore-preflight-errors=all",
                "--cri-socket=unix:///nowhere.sock");
        assertEquals(0, run.status(), run.all());
        assertTrue(run.out().startsWith("apiVersion: output.kjadm.io/v1alpha1\n"), run.all());
        assertHasLine("command: reset", run.out());
        assertHasLine("- name: cleanup-node", run.out());
    }

    @Test
    void aFailureHasItsKindItsPhaseAndWhatToDo() throws IOException {
        Run run = init("--config="
                + config("patches: {directory: %s}".formatted(folder.resolve("nowhere")), ""));
        assertEquals(1, run.status(), run.all());
        JsonNode result = object(run);
        assertFalse(result.path("succeeded").asBoolean(true), run.all());
        JsonNode problem = result.path("problem");
        assertEquals("Host", problem.path("kind").asText(), run.all());
        assertTrue(
                result.path("phases")
                        .findValuesAsText("name")
                        .contains(problem.path("phase").asText()),
                run.all());
        assertFalse(problem.path("what").asText().isEmpty(), run.all());
    }

    @Test
    void aFailureBeforeTheFirstPhaseGivesAnObjectToo() throws IOException {
        Path config = Files.writeString(folder.resolve("bad.yaml"), "kind: Nothing\n");
        for (String command : List.of("init", "join", "reset", "upgrade apply", "upgrade node")) {
            List<String> words = new ArrayList<>(List.of(command.split(" ")));
            words.addAll(List.of("-o", "json", "--dry-run", "--config", config.toString()));
            Run run = TestConsole.run(words.toArray(String[]::new));
            assertEquals(1, run.status(), run.all());
            JsonNode result = object(run);
            assertEquals(command, result.path("command").asText(), run.all());
            assertTrue(result.path("dryRun").asBoolean(), run.all());
            assertEquals("Usage", result.path("problem").path("kind").asText(), run.all());
            assertEquals(0, result.path("phases").size(), run.all());
        }
    }

    @Test
    void failedChecksAreNamed() throws IOException {
        Run run = TestConsole.run(
                "join",
                "192.0.2.1:6443",
                "-ojson",
                "--dry-run",
                "--cri-socket=unix:///nowhere.sock",
                "--node-name=node-1",
                "--token=" + TOKEN,
                "--discovery-token-unsafe-skip-ca-verification");
        assertEquals(1, run.status(), run.all());
        JsonNode problem = object(run).path("problem");
        assertEquals("Preflight", problem.path("kind").asText(), run.all());
        assertEquals("preflight", problem.path("phase").asText(), run.all());
        List<String> errors = new ArrayList<>();
        problem.path("checks")
                .forEach(check -> errors.add("\t[ERROR %s]: %s"
                        .formatted(
                                check.path("name").asText(),
                                check.path("message").asText())));
        assertTrue(errors.getFirst().startsWith("\t[ERROR CRI]: "), errors.toString());
        assertEquals(
                errors,
                run.err().lines().filter(line -> line.startsWith("\t[ERROR ")).toList());
    }

    @Test
    void anUnknownFormatIsRefusedBeforeAnythingIsDone() throws IOException {
        Run run = init("-o=xml");
        assertEquals(1, run.status(), run.all());
        assertEquals("", run.out());
        assertLinesMatch(
                List.of(
                        "error: unknown output format \"xml\"",
                        "Next: use one of text, json, .*",
                        "To see the stack trace of this error execute with --v=5 or higher"),
                run.err().lines().toList());
    }

    @Test
    void anInterruptedRunSaysSo() throws IOException {
        Thread.currentThread().interrupt();
        Run run;
        try {
            run = init("--config="
                    + config("patches: {directory: %s}".formatted(folder.resolve("nowhere")), ""));
        } finally {
            Thread.interrupted();
        }
        assertEquals("Interrupted", object(run).path("problem").path("kind").asText(), run.all());
    }

    @Test
    void timingsAreWrittenBesideIt() throws IOException {
        Path file = folder.resolve("times.json");
        Run run = init("--timings=" + file);
        assertEquals(0, run.status(), run.all());
        assertEquals(
                "init",
                new ObjectMapper().readTree(file.toFile()).path("command").asText());
        assertEquals("init", object(run).path("command").asText());
    }
}
