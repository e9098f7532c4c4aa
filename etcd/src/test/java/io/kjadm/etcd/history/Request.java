package io.kjadm.etcd.history;

import java.util.regex.Pattern;

/** What a client asks of one key. */
sealed interface Request {

    String key();

    /** What a log shows of it that no other write of the history has; nothing of a get. */
    default String mark() {
        return switch (this) {
            case Put put -> put.value();
            case PutWith put -> put.value();
            case PutIf put -> put.value();
            case Delete delete -> delete.id();
            case Get ignored -> "";
        };
    }

    /** Whether both are of one transaction. */
    default boolean with(Request request) {
        return this instanceof PutWith put
                && request instanceof PutWith other
                && put.value().equals(other.value())
                && put.other().equals(other.key());
    }

    /** Whether it may change the key. */
    default boolean writes() {
        return !(this instanceof Get);
    }

    /** @param value that no other write of the history has */
    record Put(String key, String value) implements Request {

        @Override
        public String toString() {
            return "put %s = %s".formatted(key, value);
        }
    }

    /**
     * One of the two puts of a transaction, which have one revision and one value. A history has an
     * operation for each.
     *
     * @param value that no other transaction has; it names both keys, so that a log that is searched
     *     for one put shows the other
     */
    record PutWith(String key, String value) implements Request {

        private static final String AND = "+";

        /** That of the first key. */
        static PutWith of(String one, String other, String mark) {
            return new PutWith(one, String.join(AND, mark, one, other));
        }

        private String[] parts() {
            return value.split(Pattern.quote(AND));
        }

        /** The key of the other put. */
        String other() {
            return isFirst() ? parts()[2] : parts()[1];
        }

        /** Whether it comes first in the transaction. */
        boolean isFirst() {
            return parts()[1].equals(key);
        }

        @Override
        public String toString() {
            return "put %s = %s with %s".formatted(key, value, other());
        }
    }

    /** @param id that no other delete of the history has, by which a log shows it */
    record Delete(String key, String id) implements Request {

        @Override
        public String toString() {
            return "delete %s (%s)".formatted(key, id);
        }
    }

    /** @param serializable whether one member may answer it alone, which may be an old value */
    record Get(String key, boolean serializable) implements Request {

        @Override
        public String toString() {
            return (serializable ? "serializable get " : "get ") + key;
        }
    }

    /**
     * A transaction: a put if the condition holds, a get otherwise.
     *
     * @param value that no other write of the history has
     */
    record PutIf(String key, Condition condition, String value) implements Request {

        @Override
        public String toString() {
            return "put %s = %s if %s".formatted(key, value, condition);
        }
    }

    /** That a number of the key is so; 0 for a key that does not exist. */
    record Condition(Target target, long number) {

        enum Target {
            MOD_REVISION,
            VERSION
        }

        @Override
        public String toString() {
            return "%s = %d"
                    .formatted(
                            target == Target.VERSION ? "its version" : "its mod revision", number);
        }
    }
}
