package io.kjadm.core.standalone;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateKey;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.SealedFile;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A file with a cluster's CA and its key, encrypted with a certificate key as {@code kubeadm-certs}
 * is (AES-256-GCM). It may be copied by any way: without the key nobody can read it. While the CA
 * is rotated both are in it, as a member that trusts one of them alone would not meet all others.
 *
 * @param certificatesPem all that are trusted, the one that signs first
 * @param authority       the one that signs, with its key
 */
record CaBundle(String certificatesPem, CertificateAuthority authority) {

    private static final String BEGIN = "-----BEGIN KJADM ETCD CA-----\n";
    private static final String END = "-----END KJADM ETCD CA-----\n";
    private static final Pattern FORM =
            Pattern.compile("\\s*" + BEGIN + "(?<text>[A-Za-z0-9+/=\\s]+)" + END + "\\s*");
    private static final Pattern CERTIFICATES = Pattern.compile(
            "(-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\\s*)+", Pattern.DOTALL);

    private static final String NEXT =
            "copy the file that 'kjadm etcd init --bundle' has written, and give the certificate key that it has printed";

    /**
     * What a machine's files hold.
     *
     * @param caPem its CA's certificate, or both of them
     */
    static CaBundle of(String caPem, CertificateAuthority authority) {
        return new CaBundle(
                CertificateInfo.parseAll(caPem).stream()
                        .map(CertificateInfo::pem)
                        .collect(Collectors.joining()),
                authority);
    }

    /** Writes it, readable for root alone all the same. */
    void write(HostFiles files, Path path, CertificateKey key) {
        String content = certificatesPem + authority.keyPem().orElseThrow();
        byte[] sealed =
                SealedFile.seal(content.getBytes(StandardCharsets.UTF_8), key).bytes();
        files.write(
                path,
                BEGIN + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(sealed) + "\n"
                        + END,
                FileMode.OWNER_ONLY);
    }

    /**
     * Opens it.
     *
     * @throws HostException if it is missing, or the key does not open it
     */
    static CaBundle read(HostFiles files, Path path, CertificateKey key) {
        String text = files.read(path).orElseThrow(() -> unusable(path, "the file does not exist"));
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw unusable(path, "it is not what 'kjadm etcd init --bundle' writes");
        }
        try {
            byte[] sealed = Base64.getMimeDecoder().decode(form.group("text"));
            String content = new String(SealedFile.of(sealed).open(key), StandardCharsets.UTF_8);
            Matcher certificates = CERTIFICATES.matcher(content);
            if (!certificates.lookingAt()) {
                throw unusable(path, "there is no certificate in it");
            }
            return of(
                    certificates.group(),
                    CertificateAuthority.load(
                            certificates.group(),
                            Optional.of(content.substring(certificates.end()))));
        } catch (PkiException e) {
            throw unusable(path, e.getMessage(), e);
        }
    }

    @Override
    public String toString() {
        return "CaBundle[" + authority + "]";
    }

    private static HostException unusable(Path path, String why) {
        return new HostException("the bundle %s cannot be used".formatted(path), why, NEXT);
    }

    private static HostException unusable(Path path, String why, Throwable cause) {
        return new HostException("the bundle %s cannot be used".formatted(path), why, NEXT, cause);
    }
}
