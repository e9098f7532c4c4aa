package io.kjadm.core.etcd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;

class SnapshotVerifierTest {

    private static final int PAGES = 3 * 4096;

    private byte[] whole;
    private final ByteArrayOutputStream to = new ByteArrayOutputStream();
    private final SnapshotVerifier checked = new SnapshotVerifier(to);

    @BeforeEach
    void snapshot() throws Exception {
        byte[] pages = new byte[PAGES];
        new Random(7).nextBytes(pages);
        whole = Arrays.copyOf(pages, PAGES + 32);
        System.arraycopy(MessageDigest.getInstance("SHA-256").digest(pages), 0, whole, PAGES, 32);
    }

    private void pass(byte[] bytes, int part) throws IOException {
        for (int at = 0; at < bytes.length; at += part) {
            checked.write(bytes, at, Math.min(part, bytes.length - at));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 31, 32, 33, 4096, PAGES + 32})
    void aWholeSnapshotIsPassedOnInPartsOfAnySize(int part) throws IOException {
        pass(whole, part);
        assertEquals(Optional.empty(), checked.fault());
        assertEquals(whole.length, checked.size());
        assertArrayEquals(whole, to.toByteArray());
    }

    @Test
    void oneByteIsPassedOnToo() throws IOException {
        for (byte one : whole) {
            checked.write(one);
        }
        assertEquals(Optional.empty(), checked.fault());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 31, 4096, PAGES, PAGES + 31})
    void anEarlyEndIsInTheMiddleOfAPage(int bytes) throws IOException {
        pass(Arrays.copyOf(whole, bytes), 100);
        assertTrue(
                checked.fault().orElseThrow().contains("ends after " + bytes),
                checked.fault().toString());
    }

    @ParameterizedTest
    @ValueSource(ints = {32, 4096 + 32})
    void anEarlyEndThatLooksLikeOneIsFoundByTheSum(int bytes) throws IOException {
        pass(Arrays.copyOf(whole, bytes), 100);
        assertTrue(checked.fault().orElseThrow().contains("SHA-256"), "the sum");
    }

    @Test
    void oneWrongBitIsFound() throws IOException {
        whole[5000] ^= 4;
        pass(whole, 1000);
        assertEquals(
                "the SHA-256 at its end is not that of its %d bytes".formatted(whole.length - 32),
                checked.fault().orElseThrow());
    }
}
