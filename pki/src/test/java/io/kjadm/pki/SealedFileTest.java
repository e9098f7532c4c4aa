package io.kjadm.pki;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;

class SealedFileTest {

    private final CertificateKey key = CertificateKey.generate();
    private final byte[] content = "some file\n".getBytes(StandardCharsets.UTF_8);

    @Test
    void whatIsSealedOpensAgain() {
        SealedFile sealed = SealedFile.seal(content, key);
        CertificateKey sameKey = CertificateKey.parse(key.hex());

        assertArrayEquals(content, SealedFile.of(sealed.bytes()).open(sameKey));
        assertEquals(12 + content.length + 16, sealed.bytes().length);
        assertFalse(Arrays.equals(sealed.bytes(), SealedFile.seal(content, key).bytes()));
        assertArrayEquals(new byte[0], SealedFile.seal(new byte[0], key).open(key));
    }

    /** Test case 14 of the GCM specification: a zero key, a zero nonce, one zero block. */
    @Test
    void theLayoutIsNonceThenTextThenTag() {
        CertificateKey zero = CertificateKey.parse("0".repeat(64));
        byte[] sealed = HexFormat.of()
                .parseHex("000000000000000000000000" + "cea7403d4d606b6e074ec5d3baf39d18"
                        + "d0d1c8a799996bf0265b98b5d48ab919");

        assertArrayEquals(new byte[16], SealedFile.of(sealed).open(zero));
    }

    @Test
    void everyChangedByteIsNoticed() {
        byte[] sealed = SealedFile.seal(content, key).bytes();
        for (int i = 0; i < sealed.length; i++) {
            byte[] changed = sealed.clone();
            changed[i] ^= 1;
            assertThrows(PkiException.class, () -> SealedFile.of(changed).open(key));
        }
    }

    @Test
    void anotherKeyOrATextCutOffIsRefused() {
        byte[] sealed = SealedFile.seal(content, key).bytes();

        PkiException wrongKey = assertThrows(
                PkiException.class, () -> SealedFile.of(sealed).open(CertificateKey.generate()));
        PkiException cut = assertThrows(
                PkiException.class,
                () -> SealedFile.of(Arrays.copyOf(sealed, 27)).open(key));
        assertEquals(
                "the certificate key does not match, or the encrypted file is damaged",
                wrongKey.getMessage());
        assertEquals("the encrypted file is cut off: it has 27 bytes only", cut.getMessage());
        assertThrows(PkiException.class, () -> SealedFile.of(new byte[0]).open(key));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "xyz",
                "0123456789abcdef0123456789abcdef",
                "g123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
            })
    void otherTextsAreNoCertificateKey(String text) {
        String message = assertThrows(PkiException.class, () -> CertificateKey.parse(text))
                .getMessage();
        assertTrue(text.length() < 3 || !message.contains(text), "the message repeats the key");
    }

    @Test
    void keysAre64DigitsThatStayHidden() {
        assertTrue(key.hex().matches("[0-9a-f]{64}"));
        assertNotEquals(key, CertificateKey.generate());
        assertEquals(key, CertificateKey.parse(key.hex().toUpperCase(Locale.ROOT)));
        assertEquals("CertificateKey[hidden]", key.toString());
    }
}
