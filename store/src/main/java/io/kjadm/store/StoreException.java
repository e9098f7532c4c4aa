package io.kjadm.store;

/**
 * A store did not do what was asked of it. The message tells what and, behind a colon, why, without
 * credentials.
 */
public final class StoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient String what;
    private final transient String why;

    /**
     * @param what failed, naming the store or the object
     * @param why  as the store has it
     */
    public StoreException(String what, String why, Throwable cause) {
        super(what + ": " + why, cause);
        this.what = what;
        this.why = why;
    }

    /** Without an exception behind it. */
    public StoreException(String what, String why) {
        this(what, why, null);
    }

    /** What failed. */
    public String what() {
        return what;
    }

    /** Why, as the store has it. */
    public String why() {
        return why;
    }
}
