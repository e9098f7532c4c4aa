package io.kjadm.core.host;

import io.kjadm.core.error.HostException;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Text files that somebody gives to the program: never more of them than fits into memory. */
public final class TextInput {

    /** Twice what etcd takes as one object, in bytes; no configuration or certificate has more. */
    static final int MAX_BYTES = 3 << 20;

    private static final String TOO_LONG = "it has more than 3 MiB";

    private TextInput() {}

    /**
     * The text of a file.
     *
     * @throws IOException if it cannot be read, is too long, or is not UTF-8; {@link #reason} has
     *         the words for it
     */
    public static String of(Path path) throws IOException {
        try (InputStream file = Files.newInputStream(path)) {
            byte[] bytes = file.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new FileSystemException(path.toString(), null, TOO_LONG);
            }
            return decoded(path, bytes);
        }
    }

    private static String decoded(Path path, byte[] bytes) throws IOException {
        CharsetDecoder utf8 = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer text = CharBuffer.allocate(bytes.length);
        if (utf8.decode(in, text, true).isError()) {
            throw new FileSystemException(
                    path.toString(),
                    null,
                    "line %d is not UTF-8".formatted(lines(bytes, in.position()) + 1));
        }
        return text.flip().toString();
    }

    private static int lines(byte[] bytes, int end) {
        int lines = 0;
        for (int i = 0; i < end; i++) {
            lines += bytes[i] == '\n' ? 1 : 0;
        }
        return lines;
    }

    /** Why a file was not read. */
    public static String reason(IOException failure) {
        // of a file system's exceptions the message is the path alone
        String said = failure instanceof FileSystemException named
                ? named.getReason()
                : failure.getMessage();
        return said != null ? said : failure.getClass().getSimpleName();
    }

    /**
     * The text that begins a file, if it is all of it.
     *
     * @param start at most one byte more than may be read
     * @throws HostException if it is too long
     */
    static String whole(Path path, byte[] start) {
        if (start.length > MAX_BYTES) {
            throw new HostException(
                    "cannot read " + path, TOO_LONG, "check that it is the right file");
        }
        return new String(start, StandardCharsets.UTF_8);
    }
}
