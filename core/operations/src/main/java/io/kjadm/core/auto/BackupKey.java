package io.kjadm.core.auto;

import com.exceptionfactory.jagged.bech32.Bech32;

import org.bouncycastle.crypto.params.X25519PrivateKeyParameters;

import java.util.Locale;

/**
 * The age key of the snapshots that machines save by themselves: who reads the store does not read
 * etcd's data. It follows from the token, so each machine of the cluster can restore them.
 *
 * @param identity  {@code AGE-SECRET-KEY-1…}
 * @param recipient {@code age1…}, which is no secret
 */
public record BackupKey(String identity, String recipient) {

    /** From 32 secret bytes. */
    static BackupKey of(byte[] secret) {
        byte[] open =
                new X25519PrivateKeyParameters(secret, 0).generatePublicKey().getEncoded();
        return new BackupKey(
                text("age-secret-key-", secret).toUpperCase(Locale.ROOT), text("age", open));
    }

    private static String text(String kind, byte[] key) {
        return Bech32.getEncoder().encode(kind, key).toString();
    }

    @Override
    public String toString() {
        return "BackupKey[" + recipient + "]";
    }
}
