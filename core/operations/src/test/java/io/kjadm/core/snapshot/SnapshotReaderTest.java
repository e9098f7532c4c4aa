package io.kjadm.core.snapshot;

import static io.kjadm.core.error.Reasons.assertReason;
import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.exceptionfactory.jagged.x25519.X25519KeyPairGenerator;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.snapshot.Verification.Level;
import io.kjadm.core.snapshot.sign.SignatureState;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.SnapshotBytes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.util.Arrays;
import java.util.List;

/** A stored snapshot is decoded and fetched, and no more of it than its manifest tells. */
class SnapshotReaderTest extends SnapshotLab {

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsEncodedIsDecodedByItsRecipientsOnly(boolean gzip) throws Exception {
        KeyPair ours = new X25519KeyPairGenerator().generateKeyPair();
        KeyPair theirs = new X25519KeyPairGenerator().generateKeyPair();
        SnapshotEncoding encoding = new SnapshotEncoding(
                gzip, List.of(ours.getPublic().toString(), theirs.getPublic().toString()));
        encoding.check();

        SnapshotManifest manifest = take(encoding);

        assertTrue(new String(stored(), StandardCharsets.ISO_8859_1)
                .startsWith("age-encryption.org/v1\n"));
        for (KeyPair pair : List.of(ours, theirs)) {
            assertTrue(check(manifest, Level.STRUCTURE, secret(pair)).passed());
        }
        String stranger = secret(new X25519KeyPairGenerator().generateKeyPair());
        assertThrows(HostException.class, () -> check(manifest, Level.STRUCTURE, stranger));
        assertThrows(HostException.class, () -> check(manifest, Level.STRUCTURE));
        assertTrue(check(manifest, Level.SUM).passed());
    }

    private static String secret(KeyPair pair) {
        return pair.getPrivate().toString();
    }

    /** Who writes to a store may write one in plain that has all the sums it should have. */
    @Test
    void withAnIdentityNothingInPlainIsAccepted() throws Exception {
        String identity = secret(new X25519KeyPairGenerator().generateKeyPair());
        for (SnapshotEncoding plain :
                List.of(SnapshotEncoding.NONE, new SnapshotEncoding(true, List.of()))) {
            SnapshotManifest manifest = take(plain);
            for (Level level : List.of(Level.SUM, Level.STRUCTURE)) {
                assertReason(
                        CommonReason.NOT_ACCEPTED,
                        HostException.class,
                        () -> check(manifest, level, identity));
            }
            MemoryFiles files = new MemoryFiles();
            SnapshotReader reader = new SnapshotReader(catalog, List.of(identity), out);
            assertReason(
                    CommonReason.NOT_ACCEPTED,
                    HostException.class,
                    () -> reader.fetch(manifest, files, Path.of("/x.db")));
            assertEquals(List.of(), files.files());
        }
    }

    /** A part of a database holds Secrets, whatever has ended its writing. */
    @Test
    void anErrorWhileItIsFetchedLeavesNothing(@TempDir Path folder) {
        SnapshotManifest manifest = take(SnapshotEncoding.NONE);
        Path file = folder.resolve("snapshot.db");
        SnapshotReader reader = new SnapshotReader(
                _ -> new SequenceInputStream(
                        new ByteArrayInputStream(stored(), 0, 5000), new Exhausted()),
                List.of(),
                out);

        assertThrows(OutOfMemoryError.class, () -> reader.fetch(manifest, new DiskFiles(), file));

        assertFalse(Files.exists(file));
    }

    private static final class Exhausted extends InputStream {

        @Override
        public int read() {
            throw new OutOfMemoryError("in a test");
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            return read();
        }
    }

    /** A store may send bytes for ever, and gzip unpack to anything: they would fill the disk. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noMoreIsReadThanTheManifestTells(boolean fetched, @TempDir Path folder) {
        SnapshotManifest manifest = take(SnapshotEncoding.NONE);
        Endless rest = new Endless();
        String key = store.objects.keySet().stream()
                .filter(name -> name.endsWith("/data"))
                .findFirst()
                .orElseThrow();
        if (fetched) {
            SnapshotReader reader = new SnapshotReader(
                    _ -> new SequenceInputStream(new ByteArrayInputStream(stored()), rest),
                    List.of(),
                    out);
            Path file = folder.resolve("snapshot.db");
            assertReason(
                    CommonReason.DAMAGED,
                    ClusterException.class,
                    () -> reader.fetch(manifest, new DiskFiles(), file));
            assertFalse(Files.exists(file));
            assertTrue(rest.read < 4 << 20, () -> rest.read + " bytes");
        } else {
            byte[] longer = Arrays.copyOf(stored(), stored().length + (1 << 20));
            store.objects.put(key, longer);
            for (Level level : List.of(Level.SUM, Level.STRUCTURE)) {
                Verification verification = check(manifest, level);
                assertFalse(verification.passed());
            }
        }
    }

    private static final class Endless extends InputStream {

        private long read;

        @Override
        public int read() {
            read++;
            return 0;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            if (read > 1L << 30) {
                throw new IllegalStateException("it is read without a limit");
            }
            Arrays.fill(bytes, offset, offset + length, (byte) 0);
            read += length;
            return length;
        }
    }

    @Test
    void whatIsRestoredTellsWhetherItIsEncryptedAndSigned() {
        SnapshotManifest manifest = take(SnapshotEncoding.NONE);
        SnapshotReader reader = new SnapshotReader(catalog, List.of(), out);

        String unsigned =
                String.join("\n", new SnapshotToRestore(manifest, reader).described("first"));
        assertTrue(unsigned.startsWith("first\n"), unsigned);
        assertHasLine("It is not encrypted, and not signed: nothing proves who wrote it", unsigned);
        String signed = String.join(
                "\n", new SnapshotToRestore(manifest, reader, SignatureState.VALID).described(""));
        assertHasLine("It is not encrypted, and signed with an accepted key", signed);
    }

    @Test
    void gzipAloneIsReadByAnyOtherProgram() throws IOException {
        SnapshotManifest manifest = take(new SnapshotEncoding(true, List.of()));

        try (var plain = new java.util.zip.GZIPInputStream(new ByteArrayInputStream(stored()))) {
            assertArrayEquals(SnapshotBytes.atRevision(102), plain.readAllBytes());
        }
        assertTrue(check(manifest, Level.STRUCTURE).passed());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "age1", "age1qqq", "ssh-ed25519 AAAA", "AGE-SECRET-KEY-1QQ"})
    void whatIsNoRecipientIsRefused(String recipient) {
        assertThrows(
                UsageException.class,
                () -> new SnapshotEncoding(false, List.of(recipient)).check());
    }

    @Test
    void aFailureBehindTheEncoderLeavesNothing() throws IOException {
        SnapshotEncoding gzip = new SnapshotEncoding(true, List.of());
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        try (OutputStream encoded = gzip.encode(to)) {
            encoded.write(SnapshotBytes.atRevision(5));
        }
        assertArrayEquals(
                SnapshotBytes.atRevision(5),
                gzip.decode(new ByteArrayInputStream(to.toByteArray()), List.of())
                        .readAllBytes());
    }
}
