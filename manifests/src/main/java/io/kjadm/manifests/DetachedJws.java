package io.kjadm.manifests;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The signature of {@code cluster-info} with a bootstrap token: a compact JWS without its payload
 * (RFC 7515 appendix F), HS256 over the bytes of the kubeconfig. The key is shorter than JOSE
 * libraries accept, hence plain HMAC.
 */
public final class DetachedJws {

    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    private DetachedJws() {}

    /** {@code header..signature} for this payload. */
    public static String sign(String tokenId, String tokenSecret, String payload) {
        String header = base64("{\"alg\":\"HS256\",\"kid\":\"" + tokenId + "\"}");
        return header + ".."
                + BASE64.encodeToString(hmac(tokenSecret, header + "." + base64(payload)));
    }

    /** Whether {@code jws} is what {@link #sign} gives; compared in constant time. */
    public static boolean verify(String jws, String tokenId, String tokenSecret, String payload) {
        return MessageDigest.isEqual(bytes(jws), bytes(sign(tokenId, tokenSecret, payload)));
    }

    /** The key of a token's signature in the {@code cluster-info} ConfigMap. */
    public static String dataKey(String tokenId) {
        return "jws-kubeconfig-" + tokenId;
    }

    private static byte[] hmac(String secret, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(bytes(secret), "HmacSHA256"));
            return mac.doFinal(bytes(text));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java runtime has HmacSHA256", e);
        }
    }

    private static String base64(String text) {
        return BASE64.encodeToString(bytes(text));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
