package io.kjadm.core.net;

import io.kjadm.core.host.PemTls;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.Map;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/** The TLS of a client: whom it trusts, and what it shows of itself. */
public final class ClientTls {

    private ClientTls() {}

    /**
     * A context that trusts as said and nothing besides.
     *
     * @param keys what to show a server that asks; empty for nothing
     * @param environment which may say where the CAs of this machine are
     * @throws GeneralSecurityException if a pinned CA is unreadable, or is no certificate
     */
    public static SSLContext context(
            ServerTrust trust, KeyManager[] keys, Map<String, String> environment)
            throws GeneralSecurityException, IOException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys, new TrustManager[] {trust(trust, environment)}, null);
        return context;
    }

    /**
     * What judges a server's certificate, for libraries that make their context themselves.
     *
     * @throws GeneralSecurityException if a pinned CA is unreadable, or is no certificate
     */
    public static TrustManager trust(ServerTrust trust, Map<String, String> environment)
            throws GeneralSecurityException, IOException {
        return switch (trust) {
            case ServerTrust.Pinned(String caPem) -> PemTls.trust(caPem);
            case ServerTrust.Machine() -> new MachineCas(environment);
            case ServerTrust.FirstLook(), ServerTrust.Skipped() -> new AnyCertificate();
        };
    }

    /**
     * The same context for a server whose certificate is for another name than it is reached by.
     *
     * @throws GeneralSecurityException if it is no name
     */
    public static SSLContext named(SSLContext context, String name)
            throws GeneralSecurityException {
        try {
            return NamedTls.of(context, name);
        } catch (IllegalArgumentException e) {
            throw new GeneralSecurityException(
                    "tls-server-name \"%s\" is neither a DNS name nor an IP address"
                            .formatted(name),
                    e);
        }
    }
}
