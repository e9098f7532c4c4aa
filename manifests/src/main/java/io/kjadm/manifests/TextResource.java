package io.kjadm.manifests;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Text that Kubernetes does not define, kept as files of this package with {@code ${name}} for what
 * varies.
 */
final class TextResource {

    private TextResource() {
    }

    static String filled(String file, Map<String, String> values) {
        String text = read(file);
        for (Map.Entry<String, String> value : values.entrySet()) {
            text = text.replace("${" + value.getKey() + "}", value.getValue());
        }
        return text;
    }

    private static String read(String file) {
        try (InputStream in = TextResource.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("the package lacks " + file);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("the package's " + file + " cannot be read", e);
        }
    }
}
