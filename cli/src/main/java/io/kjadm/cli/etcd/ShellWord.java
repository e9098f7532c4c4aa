package io.kjadm.cli.etcd;

/** Words of commands that an operator copies into a shell. */
final class ShellWord {

    private ShellWord() {}

    /** In quotes where a shell would take some of its signs, as in a bucket's URL, for its own. */
    static String quoted(String word) {
        return word.matches("[\\w@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
