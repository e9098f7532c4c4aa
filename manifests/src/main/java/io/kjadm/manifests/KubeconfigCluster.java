package io.kjadm.manifests;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A cluster entry of a kubeconfig: the server's URL as written, and the PEM text of the CA or the
 * file that holds it.
 */
public record KubeconfigCluster(String server, Optional<String> caPem, Optional<Path> caFile) {

    public KubeconfigCluster {
        Objects.requireNonNull(server, "server");
        Objects.requireNonNull(caPem, "caPem");
        Objects.requireNonNull(caFile, "caFile");
    }

    /** A cluster with the CA embedded. */
    public KubeconfigCluster(String server, String caPem) {
        this(server, Optional.of(caPem), Optional.empty());
    }

    Map<String, Object> toTree() {
        var tree = new TreeMap<String, Object>();
        caPem.ifPresent(pem -> tree.put("certificate-authority-data", Pem.encoded(pem)));
        caFile.ifPresent(file -> tree.put("certificate-authority", file.toString()));
        tree.put("server", server);
        return tree;
    }

    static KubeconfigCluster fromTree(Map<String, Object> tree) {
        return new KubeconfigCluster(
                KubeconfigTree.text(tree, "server").orElse(""),
                KubeconfigTree.text(tree, "certificate-authority-data")
                        .map(data -> Pem.decoded(data, "certificate-authority-data")),
                KubeconfigTree.text(tree, "certificate-authority").map(Path::of));
    }

    /** Base64 of PEM text, as kubeconfigs embed it: one line, padded. */
    static final class Pem {

        private Pem() {
        }

        static String encoded(String pem) {
            return Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.UTF_8));
        }

        static String decoded(String base64, String field) {
            // other writers fold the lines; any other character outside the alphabet is a mistake,
            // and to pass over it would leave less than what was meant
            String oneLine = base64.replaceAll("[\\r\\n]", "");
            try {
                if (oneLine.length() % 4 == 0) {
                    return new String(Base64.getDecoder().decode(oneLine), StandardCharsets.UTF_8);
                }
            } catch (IllegalArgumentException e) {
                // told below; the cause would quote a part of what may be a key
            }
            throw new ManifestException(field + " of the kubeconfig is not base64");
        }
    }
}
