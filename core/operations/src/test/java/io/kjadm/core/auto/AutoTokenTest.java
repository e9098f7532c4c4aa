package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.exceptionfactory.jagged.framework.stream.StandardDecryptingChannelFactory;
import com.exceptionfactory.jagged.framework.stream.StandardEncryptingChannelFactory;
import com.exceptionfactory.jagged.x25519.X25519RecipientStanzaReaderFactory;
import com.exceptionfactory.jagged.x25519.X25519RecipientStanzaWriterFactory;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.MemoryFiles;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

class AutoTokenTest {

    private static final byte[] CLUSTER = {1, 2, 3};
    private static final Path FILE = Path.of("/etc/kjadm/etcd-auto.token");

    private final AutoToken token = AutoToken.of(CLUSTER, new SplittableRandom(7));

    @Test
    void aTokenIsReadAsItWasWritten() {
        AutoToken read = AutoToken.parse(token.line() + "\n").orElseThrow();

        assertEquals(token.line(), read.line());
        assertTrue(
                token.line().matches("kjadm-auto-1 [0-9a-f]{64} 039058c6f2c0cb492c533b0a4d14ef77"));
        assertEquals(token.ca(), read.ca());
        assertEquals(hex(token.mac("text")), hex(read.mac("text")));
    }

    /** Else a person's command would be refused, as the log could not be read. */
    @Test
    void commandsReadTheTokenOfTheDaemon() {
        MemoryFiles files = new MemoryFiles();
        assertEquals(FILE, AutoToken.file(files));
        AutoToken.keepFile(files, Path.of("/root/cluster.token"));
        assertEquals(Path.of("/root/cluster.token"), AutoToken.file(files));
    }

    /** Other programs, and later releases, find the same keys: RFC 5869 with these words. */
    @Test
    void itsKeysAreThoseOfTheRfc() {
        AutoToken zero = AutoToken.parse("kjadm-auto-1 " + "00".repeat(32) + " " + "0".repeat(32))
                .orElseThrow();

        assertEquals(
                "f0d70c47e31b943d5e2dba9d300a3bb2fb8689760cd10ba255a515d507adfe17",
                zero.ca().hex());
        assertEquals(
                "80ea77b1d07ff080195151447aeab4f474fe97c3bfd90027bfa1c0a7b5190a57",
                hex(zero.mac("text")));
    }

    /** What is saved for the machines of a cluster is read with its token alone. */
    @Test
    void itsBackupKeyIsAPairOfAge() throws Exception {
        BackupKey key = token.backup();
        assertEquals(key, AutoToken.parse(token.line()).orElseThrow().backup());
        assertNotEquals(key, AutoToken.of(CLUSTER, new SplittableRandom(8)).backup());
        assertFalse(key.toString().contains(key.identity()));

        byte[] plain = {4, 5, 6};
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (WritableByteChannel to = new StandardEncryptingChannelFactory()
                .newEncryptingChannel(
                        Channels.newChannel(file),
                        List.of(X25519RecipientStanzaWriterFactory.newRecipientStanzaWriter(
                                key.recipient())))) {
            to.write(ByteBuffer.wrap(plain));
        }
        byte[] read = Channels.newInputStream(new StandardDecryptingChannelFactory()
                        .newDecryptingChannel(
                                Channels.newChannel(new ByteArrayInputStream(file.toByteArray())),
                                List.of(X25519RecipientStanzaReaderFactory.newRecipientStanzaReader(
                                        key.identity()))))
                .readAllBytes();
        assertArrayEquals(plain, read);
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void itFitsOneClusterFile() {
        assertTrue(token.fits(CLUSTER));
        assertFalse(token.fits(new byte[] {1, 2, 4}));
    }

    @Test
    void nobodySeesItsSecret() {
        assertEquals("AutoToken[hidden]", token.toString());
        assertNotEquals(
                token.line(), AutoToken.of(CLUSTER, new SplittableRandom(8)).line());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "kjadm-auto-1", "kjadm-auto-2 %s %s", "kjadm-auto-1 %s"})
    void anotherTextIsNoToken(String text) {
        String filled = text.formatted("0".repeat(64), "0".repeat(32));
        assertEquals(Optional.empty(), AutoToken.parse(filled));

        MemoryFiles files = new MemoryFiles();
        files.write(FILE, filled, FileMode.OWNER_ONLY);
        UsageException refusal =
                assertThrows(UsageException.class, () -> AutoToken.read(files, FILE));
        assertTrue(refusal.what().contains(FILE.toString()), refusal.what());
    }

    @Test
    void theFileOfTheOwnerIsRead() {
        MemoryFiles files = new MemoryFiles();
        assertThrows(UsageException.class, () -> AutoToken.read(files, FILE));

        files.write(FILE, token.line() + "\n", FileMode.OWNER_ONLY);

        assertEquals(token.line(), AutoToken.read(files, FILE).line());
    }

    @ParameterizedTest
    @EnumSource(
            value = FileMode.class,
            names = {"GROUP_READABLE", "WORLD_READABLE", "EXECUTABLE"})
    void aFileThatOthersReadIsRefused(FileMode mode) {
        MemoryFiles files = new MemoryFiles();
        files.write(FILE, token.line() + "\n", mode);

        UsageException refusal =
                assertThrows(UsageException.class, () -> AutoToken.read(files, FILE));
        assertFalse(refusal.getMessage().contains(token.line().substring(13, 77)));
    }
}
