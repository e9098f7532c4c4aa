package io.kjadm.core.snapshot.sign;

/** What is known of a snapshot's signature. */
public enum SignatureState {
    /** It has none. */
    UNSIGNED("no"),
    /** It has one, and there is no key to check it with. */
    UNCHECKED("unchecked"),
    /** One of the keys has signed exactly this manifest. */
    VALID("yes"),
    /** It has one that none of the keys has made of this manifest. */
    INVALID("invalid");

    private final String word;

    SignatureState(String word) {
        this.word = word;
    }

    /** As {@code list} shows it. */
    public String word() {
        return word;
    }
}
