package io.kjadm.core.config;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** What a field may hold; {@link SchemaCheck} holds trees against it. */
sealed interface Schema {

    /** An object with these fields and no others. */
    record Fields(Map<String, Schema> fields) implements Schema {

        /**
         * The same object with more fields of one kind, or this kind in place of another.
         *
         * @param names with spaces between them
         */
        Fields and(Schema kind, String names) {
            Map<String, Schema> all = new LinkedHashMap<>(fields);
            for (String name : names.strip().split("\\s+")) {
                all.put(name, kind);
            }
            return new Fields(all);
        }

        /** The same object with fewer fields. */
        Fields without(String names) {
            Map<String, Schema> fewer = new LinkedHashMap<>(fields);
            fewer.keySet().removeAll(Set.of(names.split(" ")));
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

    /** An object whose fields are all of one kind; their names have spaces between them. */
    static Fields fields(Schema kind, String names) {
        return new Fields(Map.of()).and(kind, names);
    }

    static ListOf list(Schema item) {
        return new ListOf(item);
    }

    static MapOf map(Schema value) {
        return new MapOf(value);
    }
}
