package io.kjadm.core.snapshot.sign;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.journal.PowerCut;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

class SnapshotKeysTest {

    private static final Path SIGNING = Path.of("/etc/kjadm/snapshot-sign.key");
    private static final Path VERIFYING = Path.of("/etc/kjadm/snapshot-verify.pub");
    private static final byte[] MANIFEST = "{}".getBytes(StandardCharsets.UTF_8);

    private final MemoryFiles files = new MemoryFiles();
    private final SnapshotKeys keys = new SnapshotKeys(files);

    @Test
    void aPairIsCreatedAndWhatOneSignsTheOtherVerifies() {
        VerifyKey made = keys.create(SnapshotKeys.DIRECTORY);

        assertEquals(FileMode.OWNER_ONLY, files.mode(SIGNING).orElseThrow());
        assertEquals(FileMode.WORLD_READABLE, files.mode(VERIFYING).orElseThrow());
        assertEquals(List.of(made), keys.verifying(List.of()));
        byte[] signature = keys.signing(SIGNING).sign(MANIFEST);
        assertEquals(64, signature.length);
        SnapshotTrust trust = new SnapshotTrust(keys.verifying(List.of(VERIFYING)), false);
        assertEquals(SignatureState.VALID, trust.check(MANIFEST, Optional.of(signature)));
        assertEquals(SignatureState.UNSIGNED, trust.check(MANIFEST, Optional.empty()));
        for (byte[] other : List.of(new byte[0], new byte[63], new byte[64], new byte[65])) {
            assertEquals(SignatureState.INVALID, trust.check(MANIFEST, Optional.of(other)));
        }
        signature[5] ^= 1;
        assertEquals(SignatureState.INVALID, trust.check(MANIFEST, Optional.of(signature)));
        assertEquals("SigningKey", keys.signing(SIGNING).toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"snapshot-sign.key", "snapshot-verify.pub"})
    void noKeyIsReplaced(String name) {
        Path there = SnapshotKeys.DIRECTORY.resolve(name);
        files.with(there.toString(), "before");

        assertThrows(HostException.class, () -> keys.create(SnapshotKeys.DIRECTORY));

        assertEquals(List.of(there), files.files());
        assertEquals("before", files.text(there.toString()));
    }

    @Test
    void aRunThatWasKilledBetweenTheFilesIsCompleted() {
        int cuts = 0;
        for (PowerCut.Socket cut : PowerCut.everyMoment()) {
            MemoryFiles disk = new MemoryFiles();
            HostFiles plugged = cut.plug(HostFiles.class, disk);
            if (!cut.cuts(() -> new SnapshotKeys(plugged).create(SnapshotKeys.DIRECTORY))) {
                break;
            }
            cuts = cut.step();
            SnapshotKeys after = new SnapshotKeys(disk);
            if (!disk.exists(VERIFYING)) {
                after.create(SnapshotKeys.DIRECTORY);
            }
            assertTrue(after.belongTogether(SIGNING, VERIFYING));
            assertEquals(List.of(SIGNING, VERIFYING), disk.files());
        }
        assertTrue(cuts > 2, "the power went " + cuts + " times only");
    }

    @Test
    void thereIsNoVerifyKeyUnlessTheUsualOneExists() {
        assertEquals(List.of(), keys.verifying(List.of()));
        assertThrows(HostException.class, () -> keys.verifying(List.of(Path.of("/none"))));
        assertThrows(HostException.class, () -> keys.signing(Path.of("/none")));
    }

    /** As ssh does with its keys. */
    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "rw----r--", "rw--w----", "rw-------"})
    void aSigningKeyThatOthersCanReadIsNotUsed(String mode, @TempDir Path folder)
            throws IOException {
        SnapshotKeys onDisk = new SnapshotKeys(new DiskFiles());
        onDisk.create(folder);
        Path key = folder.resolve(SnapshotKeys.SIGNING);
        assertEquals("rw-------", mode(key));
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString(mode));

        if (mode.endsWith("-------")) {
            assertEquals(64, onDisk.signing(key).sign(MANIFEST).length);
        } else {
            assertThrows(HostException.class, () -> onDisk.signing(key));
            assertTrue(SnapshotKeys.openToOthers(new DiskFiles(), key));
        }
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-rw-r--", "rw-r--rw-"})
    void aVerifyKeyThatOthersCanReplaceIsNotUsed(String mode, @TempDir Path folder)
            throws IOException {
        SnapshotKeys onDisk = new SnapshotKeys(new DiskFiles());
        onDisk.create(folder);
        Path key = folder.resolve(SnapshotKeys.VERIFYING);
        assertEquals(1, onDisk.verifying(List.of(key)).size());
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString(mode));

        assertThrows(HostException.class, () -> onDisk.verifying(List.of(key)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "X25519", "Ed448", "EC"})
    void aKeyOfAnotherKindIsRefused(String algorithm) throws GeneralSecurityException {
        KeyPair pair = KeyPairGenerator.getInstance(algorithm).generateKeyPair();
        String secret = new KeyPem("PRIVATE KEY", pair.getPrivate().getEncoded()).text();
        String open = new KeyPem("PUBLIC KEY", pair.getPublic().getEncoded()).text();
        write(SIGNING, secret);
        write(VERIFYING, open);

        assertThrows(HostException.class, () -> keys.signing(SIGNING));
        assertThrows(HostException.class, () -> keys.verifying(List.of(VERIFYING)));
    }

    @Test
    void oneKeyIsNotTakenForTheOther() {
        keys.create(Path.of("/k"));
        String secret = files.text("/k/snapshot-sign.key");
        String open = files.text("/k/snapshot-verify.pub");
        write(SIGNING, open);
        write(VERIFYING, secret);

        assertThrows(HostException.class, () -> keys.signing(SIGNING));
        assertThrows(HostException.class, () -> keys.verifying(List.of(VERIFYING)));
        Map<String, String> whys = Map.of(
                "",
                "it has no PEM block",
                "AGE-SECRET-KEY-1QQQ",
                "it has an identity of age",
                secret + secret,
                "it has more than one PEM block",
                "-----BEGIN",
                "it has no PEM block");
        whys.forEach((text, why) -> {
            write(SIGNING, text);
            HostException refused = assertThrows(HostException.class, () -> keys.signing(SIGNING));
            assertEquals(
                    ("%s has no key that can be used: %s; --sign-key takes the file"
                                    + " snapshot-sign.key of 'kjadm etcd snapshot key',"
                                    + " --verify-key takes snapshot-verify.pub,"
                                    + " and --operator-key takes the private key of 'kjadm etcd seed'")
                            .formatted(SIGNING, why),
                    refused.getMessage());
        });
    }

    private void write(Path path, String text) {
        files.write(path, text, FileMode.OWNER_ONLY);
    }

    /** What {@code openssl genpkey -algorithm ed25519} wrote, with its public key and a signature. */
    @Test
    void keysAndSignaturesOfOpensslAreTheSame() {
        write(SIGNING, """
                -----BEGIN PRIVATE KEY-----
                MC4CAQAwBQYDK2VwBCIEIEDBGwS7b5VPLTY4nk+iowhIRC6Tg2tS3RqzkwMa9Kfe
                -----END PRIVATE KEY-----
                """);
        write(VERIFYING, """
                -----BEGIN PUBLIC KEY-----
                MCowBQYDK2VwAyEAmjqmkUfAmxibWehyap5pe62h9FPHb0S/c0slKIrLxhQ=
                -----END PUBLIC KEY-----
                """);
        byte[] signature = Base64.getDecoder()
                .decode(
                        "mML/MWAO4QnFf34QDudby7dpHKXzeRFEkBto/klgD+ULnAwsN/Qrc5eks28yB3Af4wlZjy2f+5xCVESvG35oAg==");

        assertArrayEquals(signature, keys.signing(SIGNING).sign(MANIFEST));
        assertEquals(
                SignatureState.VALID,
                new SnapshotTrust(keys.verifying(List.of()), false)
                        .check(MANIFEST, Optional.of(signature)));
    }

    @Test
    void duringAChangeOfKeysBothAreAccepted() {
        VerifyKey first = keys.create(Path.of("/first"));
        VerifyKey second = keys.create(Path.of("/second"));
        SigningKey signing = keys.signing(Path.of("/first/snapshot-sign.key"));
        Optional<byte[]> signature = Optional.of(signing.sign(MANIFEST));

        assertEquals(
                SignatureState.VALID,
                new SnapshotTrust(List.of(second, first), false).check(MANIFEST, signature));
        SnapshotTrust other = new SnapshotTrust(List.of(second), false);
        assertEquals(SignatureState.INVALID, other.check(MANIFEST, signature));
        assertFalse(other.accepts(signing));
        assertTrue(SnapshotTrust.ALL.accepts(signing));
        assertEquals(SignatureState.UNCHECKED, SnapshotTrust.ALL.check(MANIFEST, signature));
    }
}
