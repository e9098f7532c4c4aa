package io.kjadm.core.net;

import io.kjadm.core.host.ForwardingTrustManager;
import io.kjadm.core.host.PemTls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts the CAs that the operator gave this machine, and not those that came with the JDK. They
 * are looked for where Go's programs, hence kubeadm, look (Go's
 * {@code crypto/x509/root_unix.go} and {@code root_linux.go}), and only once a server shows a
 * certificate.
 */
final class MachineCas extends ForwardingTrustManager {

    private static final List<String> FILES = List.of(
            "/etc/ssl/certs/ca-certificates.crt",
            "/etc/pki/tls/certs/ca-bundle.crt",
            "/etc/ssl/ca-bundle.pem",
            "/etc/pki/tls/cacert.pem",
            "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
            "/etc/ssl/cert.pem");
    private static final List<String> DIRECTORIES = List.of("/etc/ssl/certs", "/etc/pki/tls/certs");

    private final List<Path> files;
    private final List<Path> directories;
    private X509ExtendedTrustManager found;

    /** @param environment {@code SSL_CERT_FILE} and {@code SSL_CERT_DIR} name other places */
    MachineCas(Map<String, String> environment) {
        files = paths(Optional.ofNullable(environment.get("SSL_CERT_FILE"))
                .filter(name -> !name.isEmpty())
                .map(List::of)
                .orElse(FILES));
        directories = paths(Optional.ofNullable(environment.get("SSL_CERT_DIR"))
                .filter(names -> !names.isEmpty())
                .map(names -> List.of(names.split(":")))
                .orElse(DIRECTORIES));
    }

    private static List<Path> paths(List<String> names) {
        return names.stream().filter(name -> !name.isEmpty()).map(Path::of).toList();
    }

    @Override
    protected synchronized X509ExtendedTrustManager decider() throws CertificateException {
        if (found == null) {
            StringBuilder pem = new StringBuilder();
            files.stream().flatMap(file -> text(file).stream()).findFirst().ifPresent(pem::append);
            directories.stream()
                    .flatMap(MachineCas::entries)
                    .forEach(file -> text(file).ifPresent(pem::append));
            try {
                found = PemTls.trustReadable(pem.toString());
            } catch (GeneralSecurityException | IOException e) {
                throw new CertificateException(
                        "this machine has no usable CA certificates in %s or %s"
                                .formatted(files, directories));
            }
        }
        return found;
    }

    /** What cannot be read is passed over, as Go does. */
    private static Optional<String> text(Path file) {
        try {
            return Files.isRegularFile(file)
                    ? Optional.of(Files.readString(file, StandardCharsets.ISO_8859_1) + "\n")
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The files of a directory, without other names of the same. */
    private static Stream<Path> entries(Path directory) {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(
                directory,
                entry -> !Files.isSymbolicLink(entry)
                        || Files.readSymbolicLink(entry).getNameCount() > 1)) {
            return StreamSupport.stream(entries.spliterator(), false).sorted().toList().stream();
        } catch (IOException e) {
            return Stream.empty();
        }
    }
}
