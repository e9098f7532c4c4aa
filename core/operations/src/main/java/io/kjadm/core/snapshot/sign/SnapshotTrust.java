package io.kjadm.core.snapshot.sign;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Which snapshots are accepted. Anyone with write access to a store can write a snapshot with all the sums
 * that it should have; only a signature tells who took it, and a key of their own is all that they
 * need to encrypt it.
 *
 * @param keys      of those who may have signed it; without any, no signature is asked for
 * @param encrypted whether it has to be encrypted
 */
public record SnapshotTrust(List<VerifyKey> keys, boolean encrypted) {

    /** Accepts every snapshot. */
    public static final SnapshotTrust ALL = new SnapshotTrust(List.of(), false);

    public SnapshotTrust {
        keys = List.copyOf(keys);
    }

    /** Whether it asks for a signature. */
    public boolean signed() {
        return !keys.isEmpty();
    }

    /**
     * Checks a signature.
     *
     * @param manifest its bytes as they are stored
     */
    public SignatureState check(byte[] manifest, Optional<byte[]> signature) {
        if (signature.isEmpty()) {
            return SignatureState.UNSIGNED;
        }
        if (!signed()) {
            return SignatureState.UNCHECKED;
        }
        return keys.stream().anyMatch(key -> key.hasSigned(manifest, signature.get()))
                ? SignatureState.VALID
                : SignatureState.INVALID;
    }

    /** Why a snapshot is not accepted; empty if it is. */
    public Optional<String> refusal(SignatureState signature, boolean isEncrypted) {
        if (signed() && signature != SignatureState.VALID) {
            return Optional.of(
                    signature == SignatureState.UNSIGNED
                            ? "it is not signed"
                            : "its signature is not of key %s".formatted(ids()));
        }
        return encrypted && !isEncrypted
                ? Optional.of("it is not encrypted, although an identity file is given")
                : Optional.empty();
    }

    /** Whether what that key signs is accepted here. */
    public boolean accepts(SigningKey key) {
        byte[] probe = {};
        return !signed() || check(probe, Optional.of(key.sign(probe))) == SignatureState.VALID;
    }

    private String ids() {
        return keys.stream().map(VerifyKey::id).collect(Collectors.joining(" or "));
    }
}
