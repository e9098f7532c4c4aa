package io.kjadm.cli.etcd;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.kjadm.cli.TestConsole.Run;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Set;

/** Keys and identities on the command line: what is neither signed nor encrypted is not accepted. */
class SignedSnapshotCommandTest extends SnapshotCommandLab {

    @Test
    void withAVerifyKeyOnlyWhatIsSignedIsAccepted(@TempDir Path keys) throws Exception {
        snapshot();
        Run made = run("etcd snapshot key --into " + keys);
        assertEquals(0, made.status(), made.all());
        assertEquals(Set.of(), Named.pemBlocks(made.all()), made.all());
        assertEquals(1, run("etcd snapshot key --into " + keys).status());
        String check = " --verify-key " + keys.resolve("snapshot-verify.pub");
        for (String command : List.of(
                "verify --level sum",
                "verify --level sum " + NAME,
                "pki --into /nowhere",
                "copy latest " + keys.resolve("target"),
                "restore latest --dry-run")) {
            Run refused = run("etcd snapshot " + command + check + " --log-format=json");
            assertEquals(1, refused.status(), refused.all());
            assertEquals("NotAccepted", refused.reason(), refused.all());
        }
        assertFalse(Files.exists(keys.resolve("target")));
        assertEquals("no", signed(check));

        Path signature = store.resolve(PLACE).resolve("manifest.sig");
        Files.write(signature, signature(keys.resolve("snapshot-sign.key")));

        assertEquals("yes", signed(check));
        assertEquals("unchecked", signed(""));
        Run good = run("etcd snapshot verify --level sum" + check);
        assertEquals(0, good.status(), good.all());
        Path another = keys.resolve("another");
        assertEquals(0, run("etcd snapshot key --into " + another).status());
        String wrong = " --verify-key " + another.resolve("snapshot-verify.pub");
        assertEquals("invalid", signed(wrong));
        assertEquals(1, run("etcd snapshot verify --level sum" + wrong).status());
        assertEquals(0, run("etcd snapshot verify --level sum" + wrong + check).status());
    }

    @Test
    void aNewEtcdBeginsWithNothingThatIsNotSigned(@TempDir Path keys) throws IOException {
        snapshot();
        run("etcd snapshot key --into " + keys);

        Run run = run("etcd init --log-format=json --dry-run --from-snapshot latest --verify-key "
                + keys.resolve("snapshot-verify.pub"));

        assertEquals(1, run.status(), run.all());
        assertEquals("NotAccepted", run.reason(), run.all());
    }

    @Test
    void anIdentityThatOthersCanReadIsWarnedOfAndNothingInPlainIsTaken(@TempDir Path keys)
            throws IOException {
        snapshot();
        Path identity = Files.writeString(keys.resolve("identity.txt"), "AGE-SECRET-KEY-1QQ\n");
        Files.setPosixFilePermissions(identity, PosixFilePermissions.fromString("rw-r--r--"));
        String verify = "etcd snapshot verify --level sum --identity-file " + identity;

        Run open = run(verify + " --log-format=json");

        assertEquals(1, open.status(), open.all());
        assertHasLine(
                "W other accounts have access to the secret key in %s: run chmod 600 %s"
                        .formatted(identity, identity),
                run(verify).err());
        assertEquals("NotAccepted", open.reason(), open.all());
        Files.setPosixFilePermissions(identity, PosixFilePermissions.fromString("rw-------"));
        assertEquals(
                "error: snapshot 20261120t102459z-3f1c is not accepted:"
                        + " it is not encrypted, although an identity file is given",
                run(verify).err().lines().findFirst().orElseThrow());
    }

    private String signed(String check) {
        return run("etcd snapshot list -o jsonpath={.signed}" + check).out().strip();
    }

    /** As any other program may make it, of the bytes of the manifest. */
    private static byte[] signature(Path key) throws Exception {
        String pem = Files.readString(key).replaceAll("-----[A-Z ]+-----|\\s", "");
        Signature signature = Signature.getInstance("Ed25519");
        signature.initSign(KeyFactory.getInstance("Ed25519")
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem))));
        signature.update(MANIFEST.getBytes(StandardCharsets.UTF_8));
        return signature.sign();
    }

    @Test
    void aSigningKeyThatOthersCanReadIsRefusedBeforeAnythingIsAsked(@TempDir Path keys)
            throws IOException {
        run("etcd snapshot key --into " + keys);
        Path key = keys.resolve("snapshot-sign.key");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));

        Run run = run("etcd snapshot save --endpoints http://127.0.0.1:1 --sign-key " + key);

        assertEquals(1, run.status());
        assertHasLine("Next: if it was not changed or copied, run chmod 600 " + key, run.err());
    }
}
