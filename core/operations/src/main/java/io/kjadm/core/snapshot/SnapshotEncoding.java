package io.kjadm.core.snapshot;

import com.exceptionfactory.jagged.RecipientStanzaReader;
import com.exceptionfactory.jagged.RecipientStanzaWriter;
import com.exceptionfactory.jagged.framework.stream.StandardDecryptingChannelFactory;
import com.exceptionfactory.jagged.framework.stream.StandardEncryptingChannelFactory;
import com.exceptionfactory.jagged.x25519.X25519RecipientStanzaReaderFactory;
import com.exceptionfactory.jagged.x25519.X25519RecipientStanzaWriterFactory;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.etcd.CommonReason;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * What is done to a snapshot before it is stored: it may be compressed, and after that encrypted so
 * that only the named recipients can read it. The format is that of age (age-encryption.org/v1),
 * whose own program can decrypt it as well.
 *
 * @param recipients their public keys, {@code age1…}; empty for no encryption
 */
public record SnapshotEncoding(boolean gzip, List<String> recipients) {

    /** As etcd sends it. */
    public static final SnapshotEncoding NONE = new SnapshotEncoding(false, List.of());

    private static final int BUFFER = 64 * 1024;

    public SnapshotEncoding {
        recipients = List.copyOf(recipients);
    }

    /** Whether an identity is needed to read it. */
    public boolean encrypted() {
        return !recipients.isEmpty();
    }

    /**
     * Fails early for what the operator mistyped.
     *
     * @throws UsageException if a recipient is no public key
     */
    public void check() {
        for (String recipient : recipients) {
            writer(recipient);
        }
    }

    /**
     * What is written to the result comes encoded to {@code to}, all of it once the result is
     * closed; {@code to} is then closed too.
     */
    OutputStream encode(OutputStream to) throws IOException {
        OutputStream encrypted = encrypted() ? encrypt(to) : to;
        return gzip ? new GZIPOutputStream(encrypted, BUFFER) : encrypted;
    }

    private OutputStream encrypt(OutputStream to) throws IOException {
        List<RecipientStanzaWriter> writers = new ArrayList<>();
        recipients.forEach(recipient -> writers.add(writer(recipient)));
        try {
            return new BufferedOutputStream(
                    Channels.newOutputStream(new StandardEncryptingChannelFactory()
                            .newEncryptingChannel(Channels.newChannel(to), writers)),
                    BUFFER);
        } catch (GeneralSecurityException e) {
            throw new IOException("it cannot be encrypted: " + e.getMessage(), e);
        }
    }

    private static RecipientStanzaWriter writer(String recipient) {
        try {
            return X25519RecipientStanzaWriterFactory.newRecipientStanzaWriter(recipient);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new UsageException(
                    "\"%s\" is no recipient to encrypt to".formatted(recipient),
                    "a public key of age begins with age1",
                    "make a pair with 'age-keygen -o identity.txt', which shows the public key");
        }
    }

    /**
     * The snapshot again.
     *
     * @param identities secret keys, {@code AGE-SECRET-KEY-1…}, of which one fits a recipient
     * @throws HostException if it is encrypted and none fits, or it is not although identities are
     *     given
     * @throws IOException   if the bytes are none that were encoded so
     */
    InputStream decode(InputStream from, List<String> identities) throws IOException {
        requireEncrypted(identities);
        InputStream plain = encrypted() ? decrypt(from, identities) : from;
        return gzip ? new GZIPInputStream(plain, BUFFER) : plain;
    }

    /**
     * Refuses what is not encrypted where identities are given: a store could else replace an
     * encrypted snapshot by one of its own.
     *
     * @throws HostException if it is not
     */
    void requireEncrypted(List<String> identities) {
        if (!encrypted() && !identities.isEmpty()) {
            throw new HostException(
                    CommonReason.NOT_ACCEPTED,
                    "the snapshot is not encrypted",
                    "an identity file is given, so only what is encrypted for it is accepted: anyone who can write to the store can write an unencrypted snapshot",
                    "name another snapshot; if this one was saved without --encrypt-to, leave --identity-file out");
        }
    }

    private static InputStream decrypt(InputStream from, List<String> identities)
            throws IOException {
        List<RecipientStanzaReader> readers = new ArrayList<>();
        try {
            for (String identity : identities) {
                readers.add(X25519RecipientStanzaReaderFactory.newRecipientStanzaReader(identity));
            }
            return Channels.newInputStream(new StandardDecryptingChannelFactory()
                    .newDecryptingChannel(Channels.newChannel(from), readers));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new HostException(
                    "the snapshot cannot be decrypted",
                    identities.isEmpty() ? "no identity was named" : "no identity fits",
                    "name the file with the secret key of one of its recipients with --identity-file",
                    e);
        }
    }
}
