package io.kjadm.core.token;

import io.kjadm.core.error.HostException;
import io.kjadm.pki.CertificateInfo;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The command by which another machine joins.
 *
 * @param server         the control-plane endpoint
 * @param caPem          the cluster's CA certificates, whose keys are pinned
 * @param token          bootstrap token, or what is printed in its place
 * @param certificateKey key of the uploaded certificates, or what is printed in its place; empty
 *         for a command that has none
 */
public record JoinCommandLine(
        URI server, String caPem, String token, Optional<String> certificateKey) {

    /** The refusal of a kubeconfig by which no joining machine could pin the cluster's CA. */
    public static HostException withoutCa(Path kubeconfig) {
        return new HostException(
                "no join command can be made from kubeconfig %s".formatted(kubeconfig),
                "it names no CA whose key could be pinned",
                "name a complete kubeconfig with --kubeconfig, such as admin.conf");
    }

    /** For a worker, on one line. */
    public String worker() {
        return String.join(" ", words());
    }

    /** For a control-plane node, on one line. */
    public String controlPlane() {
        return worker() + " " + String.join(" ", controlPlaneWords());
    }

    /** For a worker, in two lines, for reading; it can be pasted as it is. */
    public String workerLines() {
        return join(lines());
    }

    /** For a control-plane node, in three lines, set off as in kubeadm. */
    public String controlPlaneLines() {
        List<String> lines = lines();
        lines.add(String.join(" ", controlPlaneWords()));
        return "  " + join(lines);
    }

    private static String join(List<String> lines) {
        return String.join(" \\\n\t", lines);
    }

    private List<String> lines() {
        List<String> words = words();
        List<String> lines = new ArrayList<>();
        lines.add(String.join(" ", words.subList(0, 5)));
        lines.add(String.join(" ", words.subList(5, words.size())));
        return lines;
    }

    private List<String> words() {
        List<String> words =
                new ArrayList<>(List.of("kjadm", "join", server.getAuthority(), "--token", token));
        for (CertificateInfo ca : CertificateInfo.parseAll(caPem)) {
            words.add("--discovery-token-ca-cert-hash");
            words.add(ca.pin().format());
        }
        return words;
    }

    private List<String> controlPlaneWords() {
        List<String> words = new ArrayList<>(List.of("--control-plane"));
        certificateKey.ifPresent(key -> words.addAll(List.of("--certificate-key", key)));
        return words;
    }

    @Override
    public String toString() {
        return "JoinCommandLine[server=%s]".formatted(server);
    }
}
