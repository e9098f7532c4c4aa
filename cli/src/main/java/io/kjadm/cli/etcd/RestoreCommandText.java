package io.kjadm.cli.etcd;

import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.store.StoreUrl;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command that begins a restore and resumes it, as refusals and the journal show it: with the
 * flags without which it would not find the same snapshot again, or not accept it. It is read hours
 * later and in another directory, so paths are absolute.
 */
final class RestoreCommandText {

    private final CommandFlags flags;
    private final List<String> words = new ArrayList<>();

    private RestoreCommandText(CommandFlags flags) {
        this.flags = flags;
    }

    /** Of a snapshot in the store that the flags name. */
    static String ofStore(String name, CommandFlags flags) {
        RestoreCommandText text = new RestoreCommandText(flags);
        text.words.add(ShellWord.quoted(name));
        flags.text(Flag.STORE)
                .map(RestoreCommandText::place)
                .ifPresent(store -> text.add(Flag.STORE, store));
        text.addText(Flag.CLUSTER_ID);
        flags.list(Flag.VERIFY_KEY)
                .forEach(key -> text.add(Flag.VERIFY_KEY, item(absolute(Path.of(key)))));
        text.addPath(Flag.IDENTITY_FILE);
        return text.whole();
    }

    /** Of a file. */
    static String ofFile(Path file, CommandFlags flags) {
        RestoreCommandText text = new RestoreCommandText(flags);
        text.add(Flag.FROM_FILE, absolute(file));
        text.addText(Flag.FORMAT);
        text.addSwitch(Flag.SKIP_HASH_CHECK);
        text.addText(Flag.CLUSTER_ID);
        return text.whole();
    }

    /** Of the data of this machine's member, as evidence of other nodes shows that it may be done. */
    static String ofSurvivor(CommandFlags flags) {
        RestoreCommandText text = new RestoreCommandText(flags);
        text.words.add("--" + Flag.APPLY);
        text.addSwitch(Flag.ACCEPT_LOSS);
        flags.list(Flag.EVIDENCE)
                .forEach(file -> text.add(Flag.EVIDENCE, item(absolute(Path.of(file)))));
        return text.whole("recover");
    }

    private String whole() {
        return whole("snapshot restore");
    }

    /** Where a standalone etcd comes from that the machine does not have. */
    private String whole(String command) {
        addText(Flag.BUMP_REVISION);
        addPath(Flag.ETCD_TARBALL);
        flags.text(Flag.RELEASE_URL)
                .ifPresent(url -> add(Flag.RELEASE_URL, withoutCredentials(url)));
        addSwitch(Flag.ALLOW_INSECURE_RELEASE_SERVER);
        return "kjadm etcd %s %s".formatted(command, String.join(" ", words));
    }

    /** The URL of a store has no credentials: {@link StoreUrl} refuses one that has. */
    private static String place(String store) {
        StoreUrl url = StoreUrl.parse(store);
        return url.kind() == StoreUrl.Kind.FOLDER ? url.toString() : store;
    }

    private static String withoutCredentials(String url) {
        return url.replaceFirst("(?<=//)[^/?#]*@", "USER:PASSWORD@");
    }

    private static String absolute(Path path) {
        return path.toAbsolutePath().normalize().toString();
    }

    /** An item of a list flag, which a comma would end. */
    private static String item(String text) {
        return text.matches("[^,\"]*") ? text : '"' + text.replace("\"", "\"\"") + '"';
    }

    private void addText(Flag flag) {
        flags.text(flag).ifPresent(value -> add(flag, value));
    }

    private void addPath(Flag flag) {
        flags.path(flag).ifPresent(path -> add(flag, absolute(path)));
    }

    private void addSwitch(Flag flag) {
        if (flags.isOn(flag)) {
            words.add("--" + flag);
        }
    }

    private void add(Flag flag, String value) {
        words.add("--" + flag);
        words.add(ShellWord.quoted(value));
    }
}
