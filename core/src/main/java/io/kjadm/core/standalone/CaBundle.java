package io.kjadm.core.standalone;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateKey;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.SealedFile;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file with a cluster's CA and its key, encrypted with a certificate key as {@code kubeadm-certs}
 * is (AES-256-GCM). It may be copied by any way: without the key nobody can read it.
 */
final class CaBundle {

    private static final String BEGIN = "-----BEGIN KJADM ETCD CA-----\n";
    private static final String END = "-----END KJADM ETCD CA-----\n";
    private static final Pattern FORM =
            Pattern.compile("\\s*" + BEGIN + "(?<text>[A-Za-z0-9+/=\\s]+)" + END + "\\s*");
    private static final Pattern CERTIFICATE = Pattern.compile(
            "-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\\s*", Pattern.DOTALL);

    private static final String NEXT =
            "copy the file that 'kjadm etcd init --bundle' has written, and give the certificate key that it has printed";

    private CaBundle() {}

    /** Writes it, readable for root alone all the same. */
    static void write(HostFiles files, Path path, CertificateAuthority ca, CertificateKey key) {
        String content = ca.certificatePem() + ca.keyPem().orElseThrow();
        byte[] sealed =
                SealedFile.seal(content.getBytes(StandardCharsets.UTF_8), key).bytes();
        files.write(
                path,
                BEGIN + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(sealed) + "\n"
                        + END,
                FileMode.OWNER_ONLY);
    }

    /**
     * The CA in it.
     *
     * @throws HostException if it is missing, or the key does not open it
     */
    static CertificateAuthority read(HostFiles files, Path path, CertificateKey key) {
        String text = files.read(path).orElseThrow(() -> unusable(path, "the file does not exist"));
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw unusable(path, "it is not what 'kjadm etcd init --bundle' writes");
        }
        try {
            byte[] sealed = Base64.getMimeDecoder().decode(form.group("text"));
            String content = new String(SealedFile.of(sealed).open(key), StandardCharsets.UTF_8);
            Matcher certificate = CERTIFICATE.matcher(content);
            if (!certificate.lookingAt()) {
                throw unusable(path, "there is no certificate in it");
            }
            return CertificateAuthority.load(
                    certificate.group(), Optional.of(content.substring(certificate.end())));
        } catch (PkiException e) {
            throw unusable(path, e.getMessage(), e);
        }
    }

    private static HostException unusable(Path path, String why) {
        return new HostException("the bundle %s cannot be used".formatted(path), why, NEXT);
    }

    private static HostException unusable(Path path, String why, Throwable cause) {
        return new HostException("the bundle %s cannot be used".formatted(path), why, NEXT, cause);
    }
}
