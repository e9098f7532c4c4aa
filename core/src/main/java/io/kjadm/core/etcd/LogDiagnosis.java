package io.kjadm.core.etcd;

/**
 * What a line that etcd leaves behind when it ends means for a join.
 *
 * @param meaning in words
 * @param next    what the operator can do about it
 */
public record LogDiagnosis(Kind kind, String meaning, String next) {

    /** What may help. */
    public enum Kind {
        /** No new start helps until something outside is put right. */
        STOP,
        /** The manifest does not fit the membership: it has to be written anew, once. */
        WRITE_MANIFEST_ANEW,
        /** The member was removed for ever: its data is of no use. */
        WIPE,
        /** The member's data is lost or damaged: it has to be removed and added again. */
        REMOVE_AND_ADD_AGAIN,
        /** The members' data differ: nobody may go on before a human has looked. */
        HUMAN,
        /** A new start may help, and the kubelet makes one. */
        TRY_AGAIN
    }

    boolean is(Kind other) {
        return kind == other;
    }
}
