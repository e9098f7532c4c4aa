package io.kjadm.e2e.cluster;

import java.util.regex.Pattern;

/** What {@code init} prints for those who want to join. */
public record JoinCredentials(String token, String caCertHash, String certificateKey) {
    static JoinCredentials from(String initOutput) {
        return new JoinCredentials(
                find("--token ([a-z0-9.]+)", initOutput),
                find("(sha256:[0-9a-f]{64})", initOutput),
                find("--certificate-key ([0-9a-f]+)", initOutput));
    }

    private static String find(String pattern, String text) {
        var matcher = Pattern.compile(pattern).matcher(text);
        if (!matcher.find()) {
            throw new AssertionError("the output of init has no " + pattern + ":\n" + text);
        }
        return matcher.group(1);
    }

    @Override
    public String toString() {
        return "JoinCredentials[" + caCertHash + "]";
    }
}
