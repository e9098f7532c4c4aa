package io.kjadm.core.etcd;

/** What a line that etcd leaves behind when it ends means for a join. */
public sealed interface LogDiagnosis {

    /** In words. */
    String meaning();

    /** What the operator can do about it. */
    String next();

    /** No new start helps until something outside is put right. */
    record Stop(String meaning, String next) implements LogDiagnosis {}

    /** The manifest does not fit the membership: it has to be written anew, once. */
    record WriteManifestAnew(String meaning, String next) implements LogDiagnosis {}

    /** The member was removed for ever: its data is of no use. */
    record Wipe(String meaning, String next) implements LogDiagnosis {}

    /** The member's data is lost or damaged: it has to be removed and added again. */
    record RemoveAndAddAgain(String meaning, String next) implements LogDiagnosis {}

    /** The members' data differ: nobody may go on before a human has looked. */
    record Human(String meaning, String next) implements LogDiagnosis {}

    /** A new start may help, and the kubelet makes one. */
    record TryAgain(String meaning, String next) implements LogDiagnosis {}

    /** Whether the kubelet's next start of the same container may go better. */
    default boolean mayHeal() {
        return this instanceof TryAgain;
    }
}
