package io.kjadm.core.etcd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.SnapshotBytes;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

class SnapshotVerifierTest {

    private static final int PAGES = 3 * 4096;

    private byte[] whole;
    private final ByteArrayOutputStream to = new ByteArrayOutputStream();
    private final SnapshotVerifier checked = new SnapshotVerifier(to);

    @BeforeEach
    void snapshot() {
        whole = SnapshotBytes.ofPages(3);
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

    @Test
    void whatIsNoDatabaseIsFound() throws IOException {
        pass(SnapshotBytes.summed(new byte[PAGES]), 1000);
        assertEquals(
                "it does not begin as a database of etcd does", checked.fault().orElseThrow());
    }

    @Test
    void aDatabaseThatIsShorterThanItTellsIsFound() throws IOException {
        pass(SnapshotBytes.summed(SnapshotBytes.database(3, 5)), 1000);
        assertEquals("it has 12288 bytes and needs 20480", checked.fault().orElseThrow());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aDamagedMetaPageIsFound(int page) throws IOException {
        byte[] database = SnapshotBytes.database(3, 3);
        database[page * 4096 + 16 + 48] ^= 1;
        pass(SnapshotBytes.summed(database), 1000);
        assertEquals(
                "its meta page %d is damaged".formatted(page), checked.fault().orElseThrow());
    }

    @Test
    void oneThatEndsBeforeItsSecondPageIsFound() throws IOException {
        pass(SnapshotBytes.summed(Arrays.copyOf(SnapshotBytes.database(3, 1), 4096)), 1000);
        assertEquals("it ends within its first two pages", checked.fault().orElseThrow());
    }
}
