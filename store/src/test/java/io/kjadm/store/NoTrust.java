package io.kjadm.store;

import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;

import javax.net.ssl.X509TrustManager;

/** Trusts nobody: for servers without TLS. */
final class NoTrust implements X509TrustManager {

    static final NoTrust MANAGER = new NoTrust();

    private NoTrust() {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        throw new CertificateException("no certificate is trusted");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        throw new CertificateException("no certificate is trusted");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
