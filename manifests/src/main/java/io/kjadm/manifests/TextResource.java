package io.kjadm.manifests;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Text that Kubernetes does not define, kept as files with {@code ${name}} for what varies. */
public final class TextResource {

    private TextResource() {}

    /** The text of a file beside a class, filled in. */
    public static String filled(Class<?> owner, String file, Map<String, String> values) {
        String text = read(owner, file);
        for (Map.Entry<String, String> value : values.entrySet()) {
            text = text.replace("${" + value.getKey() + "}", value.getValue());
        }
        return text;
    }

    private static String read(Class<?> owner, String file) {
        try (InputStream in = owner.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("the package lacks " + file);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("the package's " + file + " cannot be read", e);
        }
    }
}
