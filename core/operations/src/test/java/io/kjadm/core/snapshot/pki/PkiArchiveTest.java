package io.kjadm.core.snapshot.pki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.host.FileMode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Archives of keys as another account may have made them. */
class PkiArchiveTest {

    private static final int SIZE_AT = 124;
    private static final int SUM_AT = 148;
    private static final int BLOCK = 512;

    private static byte[] archive() throws IOException {
        ByteArrayOutputStream archive = new ByteArrayOutputStream();
        PkiArchive.write(
                List.of(new PkiFile(
                        Path.of("etc/kubernetes/pki/ca.crt"),
                        FileMode.WORLD_READABLE,
                        "content".getBytes(StandardCharsets.UTF_8))),
                archive);
        return archive.toByteArray();
    }

    /** The first header tells of another size, and its sum is right. */
    private static byte[] ofSize(String size) throws IOException {
        byte[] archive = archive();
        put(archive, SIZE_AT, 12, size);
        sum(archive);
        return archive;
    }

    /** Makes the sum of the first header right. */
    private static void sum(byte[] archive) {
        put(archive, SUM_AT, 8, "        ");
        int sum = 0;
        for (int at = 0; at < BLOCK; at++) {
            sum += archive[at] & 0xff;
        }
        put(archive, SUM_AT, 8, "%06o\0 ".formatted(sum));
    }

    private static void put(byte[] bytes, int at, int length, String text) {
        Arrays.fill(bytes, at, at + length, (byte) 0);
        byte[] word = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(word, 0, bytes, at, word.length);
    }

    private static List<PkiFile> read(byte[] archive) throws IOException {
        return PkiArchive.read(new ByteArrayInputStream(archive));
    }

    @Test
    void whatWasWrittenIsRead() throws IOException {
        assertEquals(
                List.of(Path.of("etc/kubernetes/pki/ca.crt")),
                read(archive()).stream().map(PkiFile::path).toList());
        assertEquals(1, read(ofSize("00000000007")).size());
    }

    /** Negative, above what a file may have, and beyond an int and a long. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "-1",
                "-0000000007",
                "-7777777777",
                "00020000001",
                "20000000001",
                "77777777777",
                "8",
                ""
            })
    void aSizeThatNoFileHasIsRefused(String size) throws IOException {
        byte[] archive = ofSize(size);

        assertThrows(IOException.class, () -> read(archive));
    }

    @ParameterizedTest
    @ValueSource(strings = {"../x", "/etc/passwd", "a/../../x"})
    void anArchiveThatLeadsElsewhereIsRefused(String name) throws IOException {
        byte[] archive = archive();
        put(archive, 0, 100, name);
        sum(archive);
        IOException failure = assertThrows(IOException.class, () -> read(archive));
        assertEquals(name + " points outside of its directory", failure.getMessage());
    }

    @Test
    void anArchiveThatUnpacksToMoreThanABundleIsRefused() throws IOException {
        List<PkiFile> large = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            large.add(new PkiFile(Path.of("a" + i), FileMode.OWNER_ONLY, new byte[4 << 20]));
        }
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        PkiArchive.write(large, to);
        assertThrows(IOException.class, () -> read(to.toByteArray()));
    }

    @Test
    void anArchiveThatIsCutOrBentIsRefused() throws IOException {
        byte[] whole = archive();
        assertEquals(1, read(whole).size());
        for (int length : List.of(0, 511, 513, 600, 1024)) {
            assertThrows(
                    IOException.class,
                    () -> PkiArchive.read(new ByteArrayInputStream(whole, 0, length)));
        }
        whole[101] ^= 1;
        assertThrows(IOException.class, () -> read(whole));
    }
}
