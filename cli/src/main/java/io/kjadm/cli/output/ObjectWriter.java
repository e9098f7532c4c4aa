package io.kjadm.cli.output;

import java.util.List;
import java.util.Map;

/** Turns objects into text, one after the other. */
@FunctionalInterface
public interface ObjectWriter {

    /**
     * The text of all objects; none gives no text.
     *
     * @throws io.kjadm.core.error.UsageException if a template does not fit them
     */
    String write(List<Map<String, Object>> objects);
}
