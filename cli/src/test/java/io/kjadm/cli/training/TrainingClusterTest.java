package io.kjadm.cli.training;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.kjadm.cli.TestConsole;
import io.kjadm.cli.TestConsole.Run;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Whole runs against the servers that the AOT caches are trained with. */
class TrainingClusterTest {

    private static final String JOIN =
            "join --dry-run --ask-cluster --ignore-preflight-errors=all --config FOLDER/join.yaml"
                    + " --skip-phases=kubelet-wait-bootstrap,wait-control-plane";

    @TempDir
    static Path folder;

    private static TrainingCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = new TrainingCluster(folder);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static Run run(String words) throws IOException {
        return TestConsole.run(words.replace("FOLDER", folder.toString())
                .replace("CRI", Files.readString(folder.resolve("cri")))
                .split(" "));
    }

    /** Every command that the caches are trained with comes to its end. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "init --dry-run --upload-certs --ignore-preflight-errors=all --config FOLDER/init.yaml",
                JOIN,
                "reset --dry-run --cri-socket CRI --kubeconfig FOLDER/admin.conf",
                "token list --kubeconfig FOLDER/admin.conf",
                "token create --print-join-command --kubeconfig FOLDER/admin.conf"
            })
    void commandSucceeds(String words) throws IOException {
        Run run = run(words);
        assertEquals(0, run.status(), run.all());
    }

    @Test
    void joinFindsTheClusterByItsTokenAndItsMembersByTheirPods() throws IOException {
        Run run = run(JOIN);
        assertTrue(
                run.out()
                        .lines()
                        .anyMatch(line -> line.strip()
                                .startsWith("- --initial-cluster=cp-1=https://127.0.0.1:1,cp-2=")),
                run::all);
    }

    @Test
    void membersTellTheirHealth() throws IOException {
        Run run = run("etcd status --endpoints " + Files.readString(folder.resolve("etcd"))
                + " --cert-dir FOLDER/pki");
        assertEquals(0, run.status(), run.all());
        assertHasLine("Leader:       cp-1 (10a1)", run.out());
    }

    @Test
    void resultsTellTheVersionOfTheCluster() throws IOException {
        for (String words : List.of(
                JOIN + " -o json",
                "reset --dry-run -o json --cri-socket CRI --kubeconfig FOLDER/admin.conf")) {
            Run run = run(words);
            JsonNode result = new ObjectMapper().readTree(run.out());
            assertTrue(result.path("succeeded").asBoolean(), run.all());
            assertTrue(result.path("kubernetesVersion").asText().startsWith("v1."), run.all());
        }
    }

    /** The plan fails behind it, as this machine is no node; an object would have been alone. */
    @Test
    void aPlanForProgramsPrintsTheConfigurationForPeople() throws IOException {
        String words = "upgrade plan --print-config --kubeconfig FOLDER/admin.conf"
                + " --ignore-preflight-errors=all";
        Run text = run(words);
        assertHasLine("kind: ClusterConfiguration", text.out());
        Run json = run(words + " -o json");
        assertEquals("", json.out(), json.all());
        assertHasLine("kind: ClusterConfiguration", json.err());
    }
}
