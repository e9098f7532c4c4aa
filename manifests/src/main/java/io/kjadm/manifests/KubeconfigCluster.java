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
            try {
                // other writers fold the lines
                return new String(Base64.getMimeDecoder().decode(base64), StandardCharsets.UTF_8);
            } catch (IllegalArgumentException e) {
                throw new ManifestException(field + " of the kubeconfig is not base64", e);
            }
        }
    }
}
