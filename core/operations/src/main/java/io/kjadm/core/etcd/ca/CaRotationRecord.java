package io.kjadm.core.etcd.ca;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.kjadm.core.error.ClusterException;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateKey;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.SealedFile;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;

/**
 * A rotation of etcd's CA that is under way, as the nodes find it in etcd: both CAs, and the key of
 * the new one. That is encrypted with the old CA's key and a certificate key that is not in etcd:
 * the old CA's key may be known to others, which is a reason to rotate.
 *
 * @param formerPem           the certificate of the CA that goes
 * @param newPem              the certificate of the CA that comes
 * @param needsCertificateKey whether the old CA's key alone does not open it
 * @param sealedKey           the key of the CA that comes
 * @param began               when
 */
public record CaRotationRecord(
        String formerPem,
        String newPem,
        boolean needsCertificateKey,
        SealedFile sealedKey,
        Instant began) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PURPOSE = "kjadm: the next CA of etcd";

    /**
     * @param former         with its key
     * @param certificateKey empty to encrypt with the old CA's key alone
     */
    static CaRotationRecord of(
            CertificateAuthority former,
            CertificateAuthority next,
            Optional<CertificateKey> certificateKey,
            Instant began) {
        String key = next.keyPem().orElseThrow();
        return new CaRotationRecord(
                former.certificatePem(),
                next.certificatePem(),
                certificateKey.isPresent(),
                SealedFile.seal(
                        key.getBytes(StandardCharsets.UTF_8),
                        sealing(former.keyPem().orElseThrow(), certificateKey)),
                began);
    }

    private static CertificateKey sealing(
            String formerKeyPem, Optional<CertificateKey> certificateKey) {
        CertificateKey former = CertificateKey.derivedFrom(formerKeyPem, PURPOSE);
        return certificateKey.map(key -> key.combinedWith(former)).orElse(former);
    }

    /**
     * The new CA with its key.
     *
     * @param certificateKey empty where it was encrypted without one
     * @throws PkiException if one of the keys is another one, or the record was tampered with
     */
    CertificateAuthority open(String formerKeyPem, Optional<CertificateKey> certificateKey) {
        byte[] key = sealedKey.open(sealing(formerKeyPem, certificateKey));
        return CertificateAuthority.load(
                newPem, Optional.of(new String(key, StandardCharsets.UTF_8)));
    }

    CertificateInfo former() {
        return CertificateInfo.parse(formerPem);
    }

    CertificateInfo next() {
        return CertificateInfo.parse(newPem);
    }

    /** What a node trusts while both are in use; it signs with the first. */
    String bothFormerFirst() {
        return formerPem + newPem;
    }

    /** The same once it signs with the new one. */
    String bothNewFirst() {
        return newPem + formerPem;
    }

    String json() {
        return JSON.createObjectNode()
                .put("formerCertificate", formerPem)
                .put("newCertificate", newPem)
                .put("needsCertificateKey", needsCertificateKey)
                .put("sealedKey", Base64.getEncoder().encodeToString(sealedKey.bytes()))
                .put("began", began.toString())
                .toString();
    }

    /** @throws ClusterException if it is none */
    static CaRotationRecord parse(String json) {
        try {
            JsonNode node = JSON.readTree(json);
            CaRotationRecord record = new CaRotationRecord(
                    node.path("formerCertificate").asText(),
                    node.path("newCertificate").asText(),
                    node.path("needsCertificateKey").asBoolean(),
                    SealedFile.of(
                            Base64.getDecoder().decode(node.path("sealedKey").asText())),
                    Instant.parse(node.path("began").asText()));
            record.former();
            record.next();
            return record;
        } catch (JsonProcessingException
                | IllegalArgumentException
                | DateTimeException
                | PkiException e) {
            throw new ClusterException(
                    "the record of the etcd CA rotation in progress cannot be read from etcd",
                    e.getMessage(),
                    "another version of kjadm may have started it: use that version",
                    e);
        }
    }
}
