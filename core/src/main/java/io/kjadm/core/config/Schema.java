package io.kjadm.core.config;

import java.util.LinkedHashMap;
import java.util.Map;

/** What a field may hold; {@link SchemaCheck} holds trees against it. */
sealed interface Schema {

    /** An object with these fields and no others. */
    record Fields(Map<String, Schema> fields) implements Schema {

        /** The same object with more fields, or others in place of some. */
        Fields with(Object... more) {
            Map<String, Schema> all = new LinkedHashMap<>(fields);
            all.putAll(object(more).fields);
            return new Fields(all);
        }

        /** The same object with fewer fields. */
        Fields without(String... names) {
            Map<String, Schema> fewer = new LinkedHashMap<>(fields);
            for (String name : names) {
                fewer.remove(name);
            }
            return new Fields(fewer);
        }
    }

    /** A list whose items are all alike. */
    record ListOf(Schema item) implements Schema {}

    /** An object with any keys. */
    record MapOf(Schema value) implements Schema {}

    /** A single value. */
    enum Scalar implements Schema {
        STRING("text"),
        BOOL("true or false"),
        INT("a whole number"),
        NUMBER("a number"),
        DURATION("a duration such as \"1h30m\""),
        TIMESTAMP("a time as in RFC 3339"),
        ANY("anything");

        private final String expectation;

        Scalar(String expectation) {
            this.expectation = expectation;
        }

        String expectation() {
            return expectation;
        }
    }

    /** An object of names and schemas in turn. */
    static Fields object(Object... namesAndSchemas) {
        Map<String, Schema> fields = new LinkedHashMap<>();
        for (int i = 0; i < namesAndSchemas.length; i += 2) {
            fields.put((String) namesAndSchemas[i], (Schema) namesAndSchemas[i + 1]);
        }
        return new Fields(fields);
    }

    static ListOf list(Schema item) {
        return new ListOf(item);
    }

    static MapOf map(Schema value) {
        return new MapOf(value);
    }
}
