package io.kjadm.core.snapshot.sign;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** The files with the keys of snapshots, and of operators. */
public final class SnapshotKeys {

    /** Name of the file with the private key. */
    public static final String SIGNING = "snapshot-sign.key";
    /** Name of the file with the public key. */
    public static final String VERIFYING = "snapshot-verify.pub";
    /** Where keys are that no flag names. */
    public static final Path DIRECTORY = Path.of("/etc/kjadm");

    private static final Set<PosixFilePermission> OF_OTHERS =
            Set.copyOf(PosixFilePermissions.fromString("---rwxrwx"));
    private static final Set<PosixFilePermission> WRITE_OF_OTHERS =
            Set.copyOf(PosixFilePermissions.fromString("----w--w-"));

    private final HostFiles files;

    public SnapshotKeys(HostFiles files) {
        this.files = files;
    }

    /**
     * Creates a pair in two new files.
     *
     * @return the public key
     * @throws HostException if one of the files exists; none is written then
     */
    public VerifyKey create(Path directory) {
        return create(directory.resolve(SIGNING), directory.resolve(VERIFYING));
    }

    /**
     * Creates a pair in two new files of one directory. The public key is put beside its file first, so
     * that a run that was killed between the two is completed.
     *
     * @return the public key
     * @throws HostException if one of the files exists; none is written then
     */
    public VerifyKey create(Path signing, Path verifying) {
        Path staged = verifying.resolveSibling("." + verifying.getFileName() + ".new");
        if (files.exists(signing) && !files.exists(verifying) && belongTogether(signing, staged)) {
            files.rename(staged, verifying);
            return read(verifying);
        }
        for (Path file : List.of(signing, verifying)) {
            if (files.exists(file)) {
                throw new HostException(
                        "no key was created: %s exists".formatted(file),
                        "a key is never replaced: what was signed with it could not be verified any more",
                        "name another directory with --into; to change keys, keep the old public key and give both with --verify-key");
            }
        }
        KeyPair pair = pair();
        if (files.exists(staged)) {
            files.delete(staged);
        }
        create(staged, VerifyKey.LABEL, pair.getPublic(), FileMode.WORLD_READABLE);
        try {
            create(signing, SigningKey.LABEL, pair.getPrivate(), FileMode.OWNER_ONLY);
        } catch (HostException e) {
            files.delete(staged);
            throw e;
        }
        try {
            files.rename(staged, verifying);
        } catch (HostException e) {
            files.delete(signing);
            files.delete(staged);
            throw e;
        }
        return new VerifyKey(pair.getPublic());
    }

    private void create(Path file, String label, Key key, FileMode mode) {
        files.createBelow(
                file.getParent(), file.getFileName(), bytes(label, key.getEncoded()), mode);
    }

    /**
     * Whether what one key signs the other verifies.
     *
     * @throws HostException if the private key cannot be used
     */
    public boolean belongTogether(Path signing, Path verifying) {
        byte[] word = verifying.toString().getBytes(StandardCharsets.UTF_8);
        return files.exists(verifying)
                && read(verifying).hasSigned(word, signing(signing).sign(word));
    }

    private VerifyKey read(Path verifying) {
        return verifying(List.of(verifying)).getFirst();
    }

    private static byte[] bytes(String label, byte[] der) {
        return new KeyPem(label, der).text().getBytes(StandardCharsets.US_ASCII);
    }

    private static KeyPair pair() {
        try {
            return KeyPairGenerator.getInstance(SigningKey.ALGORITHM).generateKeyPair();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has " + SigningKey.ALGORITHM, e);
        }
    }

    /**
     * The key that signs.
     *
     * @throws HostException if there is none in the file, or another account can read it
     */
    public SigningKey signing(Path file) {
        return read(file, OF_OTHERS, SigningKey::parse, "chmod 600 " + file);
    }

    /**
     * The keys to check signatures with.
     *
     * @param named files with one each; if empty, that of {@link #DIRECTORY} if it is there
     * @throws HostException if there is none in a file, or another account can replace it
     */
    public List<VerifyKey> verifying(List<Path> named) {
        Path usual = DIRECTORY.resolve(VERIFYING);
        List<Path> chosen =
                named.isEmpty() ? files.exists(usual) ? List.of(usual) : List.of() : named;
        return chosen.stream()
                .map(file -> read(file, WRITE_OF_OTHERS, VerifyKey::parse, "chmod go-w " + file))
                .toList();
    }

    private <T> T read(
            Path file,
            Set<PosixFilePermission> forbidden,
            Function<String, T> parser,
            String remedy) {
        String text = files.read(file)
                .orElseThrow(
                        () -> new HostException(
                                "there is no " + file,
                                "",
                                "name the file; 'kjadm etcd snapshot key' creates a pair of keys, and 'kjadm etcd seed' that of an operator"));
        Set<PosixFilePermission> open = EnumSet.noneOf(PosixFilePermission.class);
        open.addAll(files.permissions(file));
        open.retainAll(forbidden);
        if (!open.isEmpty()) {
            throw new HostException(
                    "the key in %s is not used".formatted(file),
                    "other accounts have access to it (%s)"
                            .formatted(PosixFilePermissions.toString(files.permissions(file))),
                    "if it was not changed or copied, run " + remedy);
        }
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new HostException(
                    "%s has no key that can be used".formatted(file),
                    e.getMessage(),
                    "--sign-key takes the file %s of 'kjadm etcd snapshot key', --verify-key takes %s, and --operator-key takes the private key of 'kjadm etcd seed'"
                            .formatted(SIGNING, VERIFYING),
                    e);
        }
    }

    /** Whether other accounts have access to a file with a secret. */
    public static boolean openToOthers(HostFiles files, Path file) {
        return files.permissions(file).stream().anyMatch(OF_OTHERS::contains);
    }
}
