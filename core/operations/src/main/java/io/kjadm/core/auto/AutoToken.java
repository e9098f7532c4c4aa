package io.kjadm.core.auto;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.pki.CertificateKey;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.crypto.KDF;
import javax.crypto.Mac;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * What makes a machine one of a cluster: a secret, and the sum of the cluster file that it belongs to.
 * It is never in the store; who has the store alone cannot write an entry that counts.
 */
public final class AutoToken {

    private static final Pattern FORM =
            Pattern.compile("kjadm-auto-1 ([0-9a-f]{64}) ([0-9a-f]{32})");
    private static final int SECRET_BYTES = 32;
    private static final int SUM_DIGITS = 32;
    private static final String SALT = "kjadm etcd auto 1";
    private static final String MAC = "HmacSHA256";
    private static final Set<PosixFilePermission> OF_OTHERS =
            EnumSet.copyOf(PosixFilePermissions.fromString("---rwxrwx"));

    private final byte[] secret;
    private final String sum;
    private final byte[] logKey;

    private AutoToken(byte[] secret, String sum) {
        this.secret = secret;
        this.sum = sum;
        this.logKey = key("log");
    }

    /** A new one, of a cluster file. */
    static AutoToken of(byte[] clusterFile, RandomGenerator random) {
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(secret);
        return new AutoToken(secret, sum(clusterFile));
    }

    /** Reads the line that {@link #line} gives; empty for any other text. */
    public static Optional<AutoToken> parse(String text) {
        Matcher matcher = FORM.matcher(text.strip());
        return matcher.matches()
                ? Optional.of(
                        new AutoToken(HexFormat.of().parseHex(matcher.group(1)), matcher.group(2)))
                : Optional.empty();
    }

    /**
     * Reads the file that {@code etcd seed} has written.
     *
     * @throws UsageException if there is none, it holds another text, or other accounts can read it
     */
    public static AutoToken read(HostFiles files, Path file) {
        String text = files.read(file)
                .orElseThrow(() -> new UsageException(
                        "there is no %s".formatted(file),
                        "it holds the token of the cluster",
                        "copy it from the machine on which 'kjadm etcd seed' was run"));
        Set<PosixFilePermission> modes = files.permissions(file);
        if (modes.stream().anyMatch(OF_OTHERS::contains)) {
            throw new UsageException(
                    "the token in %s is not used".formatted(file),
                    "other accounts have access to it (%s)"
                            .formatted(PosixFilePermissions.toString(modes)),
                    "if no other account has copied it, run 'chmod 600 %s'; otherwise seed another store"
                            .formatted(file));
        }
        return parse(text)
                .orElseThrow(() -> new UsageException(
                        "%s does not hold the token of a cluster".formatted(file),
                        "",
                        "copy it again from a machine of the cluster"));
    }

    /** Where this machine has the token: where its daemon was told, or else where that looks. */
    public static Path file(HostFiles files) {
        return files.read(AutoPaths.TOKEN_FILE)
                .map(text -> Path.of(text.strip()))
                .orElse(AutoPaths.TOKEN);
    }

    /** Notes where the daemon of this machine has the token, for the commands of a person. */
    public static void keepFile(HostFiles files, Path file) {
        files.write(AutoPaths.TOKEN_FILE, file.toAbsolutePath() + "\n", FileMode.OWNER_ONLY);
    }

    /** For the token file alone. */
    String line() {
        return "kjadm-auto-1 %s %s".formatted(HexFormat.of().formatHex(secret), sum);
    }

    /** Whether it belongs to a cluster file. */
    public boolean fits(byte[] clusterFile) {
        return sum(clusterFile).equals(sum);
    }

    private static String sum(byte[] clusterFile) {
        return AutoObjects.hash(clusterFile).substring(0, SUM_DIGITS);
    }

    /** The key that seals the CAs in the store. */
    public CertificateKey ca() {
        return CertificateKey.parse(HexFormat.of().formatHex(key("ca")));
    }

    /** The key of the snapshots that machines save. */
    public BackupKey backup() {
        return BackupKey.of(key("backup"));
    }

    /** What only a holder of the token can make of a text. */
    byte[] mac(String text) {
        try {
            Mac mac = Mac.getInstance(MAC);
            mac.init(new SecretKeySpec(logKey, MAC));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + MAC, e);
        }
    }

    private byte[] key(String purpose) {
        try {
            return KDF.getInstance("HKDF-SHA256")
                    .deriveData(HKDFParameterSpec.ofExtract()
                            .addIKM(secret)
                            .addSalt(SALT.getBytes(StandardCharsets.UTF_8))
                            .thenExpand(purpose.getBytes(StandardCharsets.UTF_8), SECRET_BYTES));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK since 25 has HKDF", e);
        }
    }

    @Override
    public String toString() {
        return "AutoToken[hidden]";
    }
}
