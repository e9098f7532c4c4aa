package io.kjadm.e2e.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Applies patches: RFC 7396, which is also what a strategic merge patch comes to for the objects
 * that are patched here, whose lists are all replaced as a whole.
 */
final class MergePatch {
    private MergePatch() {}

    static void apply(ObjectNode target, ObjectNode patch) {
        for (var field : patch.properties()) {
            JsonNode value = field.getValue();
            if (value.isNull()) {
                target.remove(field.getKey());
            } else if (value instanceof ObjectNode inner
                    && target.get(field.getKey()) instanceof ObjectNode existing) {
                apply(existing, inner);
            } else {
                target.set(field.getKey(), value);
            }
        }
    }
}
