package io.kjadm.pki;

import java.util.ArrayList;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;

/** One block of a PEM text (RFC 7468). Text around blocks is ignored. */
record PemBlock(String label, boolean encrypted, byte[] content) {

    static final String CERTIFICATE = "CERTIFICATE";
    static final String PUBLIC_KEY = "PUBLIC KEY";
    static final String PKCS8_KEY = "PRIVATE KEY";
    static final String PKCS1_KEY = "RSA PRIVATE KEY";
    static final String SEC1_KEY = "EC PRIVATE KEY";
    static final String ENCRYPTED_PKCS8_KEY = "ENCRYPTED PRIVATE KEY";

    private static final String BEGIN = "-----BEGIN ";
    private static final String END = "-----END ";
    private static final String DASHES = "-----";
    private static final int LINE_LENGTH = 64;

    PemBlock(String label, byte[] content) {
        this(label, false, content);
    }

    /**
     * All blocks of the text, in order; @throws PkiException if one of them is cut off or not
     * base64.
     */
    static List<PemBlock> parseAll(String text) {
        List<PemBlock> blocks = new ArrayList<>();
        Iterator<String> lines = text.lines().map(String::strip).iterator();
        while (lines.hasNext()) {
            String line = lines.next();
            if (line.matches(BEGIN + ".+" + DASHES)) {
                String label = line.substring(BEGIN.length(), line.length() - DASHES.length());
                blocks.add(readBlock(label, lines));
            }
        }
        return List.copyOf(blocks);
    }

    private static PemBlock readBlock(String label, Iterator<String> lines) {
        StringBuilder base64 = new StringBuilder();
        boolean encrypted = label.equals(ENCRYPTED_PKCS8_KEY);
        while (lines.hasNext()) {
            String line = lines.next();
            if (line.equals(END + label + DASHES)) {
                return new PemBlock(label, encrypted, decode(label, base64.toString()));
            }
            if (line.contains(":")) {
                encrypted |= line.startsWith("Proc-Type:") && line.endsWith("ENCRYPTED");
            } else {
                base64.append(line);
            }
        }
        throw new PkiException("the PEM block \"%s\" has no end".formatted(label));
    }

    private static byte[] decode(String label, String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            // the cause would quote a part of what may be a key
            throw new PkiException("the PEM block \"%s\" is not valid base64".formatted(label));
        }
    }

    boolean isPrivateKey() {
        return switch (label) {
            case PKCS1_KEY, SEC1_KEY, PKCS8_KEY, ENCRYPTED_PKCS8_KEY -> true;
            default -> false;
        };
    }

    boolean isCertificate() {
        return label.equals(CERTIFICATE);
    }

    String toPem() {
        String base64 =
                Base64.getMimeEncoder(LINE_LENGTH, new byte[] {'\n'}).encodeToString(content);
        return BEGIN + label + DASHES + "\n" + base64 + "\n" + END + label + DASHES + "\n";
    }

    @Override
    public String toString() {
        return "PemBlock[%s, %d bytes]".formatted(label, content.length);
    }
}
