package io.kjadm.core.etcd;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.manifests.ManifestException;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.pki.CertificateFiles;
import io.kjadm.pki.CertificateSet;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * An etcd on other machines and what proves an API server to it, in one file: {@code etcd init} and
 * {@code etcd join} write it, {@code init --external-etcd} takes it.
 *
 * @param endpoints client URLs
 * @param caPem     who signs the members' certificates
 * @param certPem   of the API server, as a client
 * @param keyPem    its key
 */
public record ExternalEtcdFile(List<URI> endpoints, String caPem, String certPem, String keyPem) {

    private static final String CLIENT = CertificateSet.API_SERVER_ETCD_CLIENT;

    public ExternalEtcdFile {
        endpoints = List.copyOf(endpoints);
    }

    /**
     * Reads it.
     *
     * @throws UsageException if it is not such a file
     */
    public static ExternalEtcdFile read(HostFiles files, Path path) {
        String text = files.read(path).orElseThrow(() -> unusable(path, "it does not exist"));
        try {
            Map<String, Object> fields = ManifestYaml.readObject(text);
            List<URI> endpoints = fields.get("endpoints") instanceof List<?> urls
                    ? urls.stream().map(String::valueOf).map(URI::create).toList()
                    : List.of();
            if (endpoints.isEmpty()) {
                throw unusable(path, "it names no endpoints");
            }
            return new ExternalEtcdFile(
                    endpoints,
                    word(path, fields, "caCertificate"),
                    word(path, fields, "certificate"),
                    word(path, fields, "key"));
        } catch (ManifestException | IllegalArgumentException e) {
            throw unusable(path, e.getMessage());
        }
    }

    private static String word(Path path, Map<String, Object> fields, String name) {
        if (fields.get(name) instanceof String text && !text.isBlank()) {
            return text;
        }
        throw unusable(path, "it lacks " + name);
    }

    private static UsageException unusable(Path path, String why) {
        return new UsageException(
                "%s cannot be used for --external-etcd".formatted(path),
                why,
                "copy the file from a machine on which 'kjadm etcd init' or 'kjadm etcd join' has finished");
    }

    /** Writes it, for its owner alone. */
    public void write(HostFiles files, Path path) {
        String text = "# For 'kjadm init --external-etcd FILE'. It holds a private key.\n"
                + "endpoints:\n"
                + endpoints.stream().map(url -> "- " + url + "\n").collect(Collectors.joining())
                + block("caCertificate", caPem)
                + block("certificate", certPem)
                + block("key", keyPem);
        if (files.read(path).filter(text::equals).isEmpty()) {
            files.write(path, text, FileMode.OWNER_ONLY);
        }
    }

    private static String block(String name, String pem) {
        return name + ": |\n" + pem.strip().indent(2);
    }

    /** Where an API server's node has the CA. */
    public static Path caFile(Path certificatesDir) {
        return certificatesDir.resolve(
                CertificateSet.named(CertificateSet.ETCD_CA).certificateFile());
    }

    /** Where it has the client certificate. */
    public static Path certFile(Path certificatesDir) {
        return certificatesDir.resolve(CLIENT + CertificateFiles.CERTIFICATE_SUFFIX);
    }

    /** Where it has the client's key. */
    public static Path keyFile(Path certificatesDir) {
        return certificatesDir.resolve(CLIENT + CertificateFiles.KEY_SUFFIX);
    }

    /** Puts the certificates where a node with an external etcd has them. */
    public void install(HostFiles files, KubernetesPaths paths) {
        files.write(keyFile(paths.certificatesDir()), keyPem, FileMode.OWNER_ONLY);
        files.write(certFile(paths.certificatesDir()), certPem, FileMode.WORLD_READABLE);
        files.write(caFile(paths.certificatesDir()), caPem, FileMode.WORLD_READABLE);
    }

    @Override
    public String toString() {
        return "ExternalEtcdFile" + endpoints;
    }
}
