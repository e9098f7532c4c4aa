package io.kjadm.etcd.history;

/** What a client asks of one key. */
sealed interface Request {

    String key();

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

    /** @param mark that no other delete of the history has, by which a log shows it */
    record Delete(String key, String mark) implements Request {

        @Override
        public String toString() {
            return "delete %s (%s)".formatted(key, mark);
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
