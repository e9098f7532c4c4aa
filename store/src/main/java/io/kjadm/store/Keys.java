package io.kjadm.store;

import java.util.regex.Pattern;

/** Names of objects: so plain that they mean the same in a folder and in every bucket. */
final class Keys {

    private static final Pattern KEY =
            Pattern.compile("[a-z0-9_-][a-z0-9._-]*(/[a-z0-9_-][a-z0-9._-]*)*");

    private Keys() {}

    /**
     * The key itself.
     *
     * @throws IllegalArgumentException if it is none; one that a store has told may lead anywhere
     */
    static String checked(String key) {
        if (!KEY.matcher(key).matches()) {
            throw new IllegalArgumentException("\"%s\" is no key of an object".formatted(key));
        }
        return key;
    }
}
