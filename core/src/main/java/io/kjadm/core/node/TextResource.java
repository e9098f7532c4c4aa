package io.kjadm.core.node;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Closing words of a command, kept as text files with {@code @PLACEHOLDERS@}. */
public final class TextResource {

    private TextResource() {}

    /** The text of a file beside a class, filled in. */
    public static String of(Class<?> owner, String name, Map<String, String> values) {
        try (InputStream in = owner.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("no resource " + name + " beside " + owner);
            }
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            for (Map.Entry<String, String> value : values.entrySet()) {
                text = text.replace("@" + value.getKey() + "@", value.getValue());
            }
            return text.stripTrailing();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
