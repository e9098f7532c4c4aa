package io.kjadm.store;

import java.util.regex.Pattern;

/** Names of objects: so plain that they mean the same in a folder and in every bucket. */
final class Keys {

    private static final Pattern KEY =
            Pattern.compile("[a-z0-9_-][a-z0-9._-]*(/[a-z0-9_-][a-z0-9._-]*)*");

    private Keys() {}

    /** Whether it is one. */
    static boolean isKey(String key) {
        return KEY.matcher(key).matches();
    }

    /**
     * The key itself.
     *
     * @throws IllegalArgumentException if it is none; one that a store has told may lead anywhere
     */
    static String checked(String key) {
        if (!isKey(key)) {
            throw new IllegalArgumentException("\"%s\" is no key of an object".formatted(key));
        }
        return key;
    }
}
