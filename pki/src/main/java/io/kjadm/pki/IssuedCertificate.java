package io.kjadm.pki;

/** A certificate and its private key, both as PEM. */
public record IssuedCertificate(String certificatePem, String keyPem) {

    @Override
    public String toString() {
        return "IssuedCertificate[key hidden]";
    }
}
