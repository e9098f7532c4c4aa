package io.kjadm.e2e.picture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.e2e.picture.Recording.Output;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

final class RecordingTest {

    private static final String TOKEN = "abcdef.0123456789abcdef";
    private static final String KEY = "0123456789abcdef".repeat(4);

    private static List<String> masked(String... pieces) {
        return Secrets.masked(List.of(pieces));
    }

    @Test
    void logIsCutWhereTheTimingSays() {
        var recording = Recording.of(
                """
                Script started on 2026-11-22 [COMMAND="x" <not executed on terminal>]
                one
                two

                Script done on 2026-11-22 [COMMAND_EXIT_CODE="0"]
                """.getBytes(StandardCharsets.UTF_8), List.of("0.250000 4", "1.500000 4"));
        assertEquals(
                List.of(
                        new Output(Duration.ofMillis(250), "one\n"),
                        new Output(Duration.ofMillis(1500), "two\n")),
                recording.outputs());
    }

    @Test
    void characterThatWasWrittenInPartsBelongsToItsFirst() {
        // → is three bytes
        var recording = Recording.of(
                "a→b".getBytes(StandardCharsets.UTF_8), List.of("0.1 2", "0.1 1", "0.1 2"));
        assertEquals(
                List.of("a→", "", "b"),
                recording.outputs().stream().map(Output::text).toList());
    }

    @Test
    void secretsBecomeTheirNames() {
        assertEquals(
                List.of("kjadm join x:6443 --token TOKEN --discovery-token-ca-cert-hash"
                        + " sha256:HASH --certificate-key KEY --control-plane"),
                masked("kjadm join x:6443 --token " + TOKEN + " --discovery-token-ca-cert-hash"
                        + " sha256:" + KEY + " --certificate-key " + KEY + " --control-plane"));
    }

    @Test
    void secretIsFoundInSeveralOutputs() {
        assertEquals(List.of("a TOKEN", "", " b"), masked("a abcdef.012345", "678", "9abcdef b"));
    }

    @Test
    void secretIsFoundBehindAColour() {
        assertEquals(
                List.of("\033[1;32mTOKEN\033[0m \033[35mKEY"),
                masked("\033[1;32m" + TOKEN + "\033[0m \033[35m" + KEY));
    }

    @Test
    void whatOnlyLooksAlikeStays() {
        // a member's id, a longer word, a certificate's file
        List<String> harmless = List.of(
                "member 8e9e05c52164694d",
                "xabcdef.0123456789abcdef0",
                "/etc/kubernetes/pki/apiserver-etcd-client.crt");
        assertEquals(harmless, Secrets.masked(harmless));
    }

    @Test
    void recordingWithoutSecretsKeepsItsPauses() {
        var recording = new Recording(List.of(new Output(Duration.ofMillis(7), TOKEN)));
        assertEquals(
                List.of(new Output(Duration.ofMillis(7), "TOKEN")),
                recording.withoutSecrets().outputs());
    }
}
