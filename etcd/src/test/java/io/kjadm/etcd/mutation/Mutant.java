package io.kjadm.etcd.mutation;

/**
 * One change that PIT made to the code.
 *
 * @param type the class, with its package
 * @param method the method, or the one a lambda is written in
 * @param change in PIT's words
 * @param line the text of the changed line: numbers move with every edit
 */
record Mutant(String type, String method, String change, String line)
        implements Comparable<Mutant> {

    /** The columns that name it in the list of accepted ones. */
    String columns(long count) {
        return String.join("\t", type, method, change, Long.toString(count), line);
    }

    @Override
    public int compareTo(Mutant other) {
        return columns(0).compareTo(other.columns(0));
    }
}
