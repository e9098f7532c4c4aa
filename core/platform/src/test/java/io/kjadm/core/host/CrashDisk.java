package io.kjadm.core.host;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A disk in memory that only holds for certain what was synced: it can give every state in which a
 * power cut may leave it. What it plays is stricter than ext4 and XFS are:
 *
 * <ul>
 *   <li>Changes of names (a file created, renamed, deleted) reach the disk in any order, or never,
 *       until their directory is synced; a rename as a whole, and only for certain when the
 *       directories of both names are synced. One name's changes keep their order.
 *   <li>A file's bytes reach it as a whole, by half, as zeros or never, until the file is synced,
 *       also when its name is there. So do owner and mode of a file or directory, in their order.
 * </ul>
 */
public final class CrashDisk {

    /** More states than this of one moment are sampled. */
    private static final int ALL_OF = 1 << 8;

    private static final Pattern RANDOM_PART =
            Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    /** What is at a path. */
    public record Node(Optional<byte[]> content, Optional<Path> target, Owner owner, String mode) {

        boolean directory() {
            return content.isEmpty() && target.isEmpty();
        }

        boolean file() {
            return content.isPresent();
        }

        boolean same(Node other) {
            return line().equals(other.line());
        }

        private String line() {
            String what = content.map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                    .map(text -> " \"%s\"".formatted(text.replace('\0', '0')))
                    .orElse("");
            return "%s %s%s%s"
                    .formatted(
                            mode, owner, what, target.map(path -> " -> " + path).orElse(""));
        }
    }

    /** A file, a directory or a link, whatever names lead to it. */
    static final class Inode {

        final int number;
        final Optional<Path> target;
        final Optional<TreeMap<String, Integer>> entries;
        byte[] content = new byte[0];
        Owner owner = Owner.ROOT;
        Set<PosixFilePermission> mode;

        private Inode(
                int number,
                Optional<Path> target,
                Optional<TreeMap<String, Integer>> entries,
                Set<PosixFilePermission> mode) {
            this.number = number;
            this.target = target;
            this.entries = entries;
            this.mode = mode;
        }

        boolean directory() {
            return entries.isPresent();
        }

        boolean file() {
            return entries.isEmpty() && target.isEmpty();
        }

        Map<String, Integer> names() {
            return entries.orElseThrow();
        }

        private Inode copy() {
            Inode copy = new Inode(number, target, entries.map(TreeMap::new), mode);
            copy.content = content;
            copy.owner = owner;
            return copy;
        }
    }

    private record Event(Optional<DiskChange> change, int synced) {}

    private final List<Inode> start = new ArrayList<>();
    private final List<Inode> now = new ArrayList<>();
    private final List<Event> events = new ArrayList<>();
    private final Random random;

    /** An empty disk. @param seed of the sample of those states that are too many */
    public CrashDisk(long seed) {
        random = new Random(seed);
        inode(
                Optional.empty(),
                Optional.of(new TreeMap<>()),
                FileMode.OPEN_DIRECTORY.permissions());
    }

    /** From now on everything that is on the disk is on it for certain. */
    public void settle() {
        events.clear();
        start.clear();
        now.forEach(inode -> start.add(inode.copy()));
    }

    Inode root() {
        return now.getFirst();
    }

    Inode inode(int number) {
        return now.get(number);
    }

    private Inode inode(
            Optional<Path> target,
            Optional<TreeMap<String, Integer>> entries,
            Set<PosixFilePermission> mode) {
        Inode made = new Inode(now.size(), target, entries, mode);
        now.add(made);
        start.add(made.copy());
        return made;
    }

    Inode create(Inode directory, String name, boolean folder, Set<PosixFilePermission> mode) {
        Inode made = inode(
                Optional.empty(), folder ? Optional.of(new TreeMap<>()) : Optional.empty(), mode);
        change(new DiskChange.Name(directory.number, name, Optional.of(made.number)));
        return made;
    }

    void link(Inode directory, String name, Path target) {
        Set<PosixFilePermission> all = PosixFilePermissions.fromString("rwxrwxrwx");
        Inode made = inode(Optional.of(target), Optional.empty(), all);
        change(new DiskChange.Name(directory.number, name, Optional.of(made.number)));
    }

    void hardLink(Inode directory, String name, Inode inode) {
        change(new DiskChange.Name(directory.number, name, Optional.of(inode.number)));
    }

    void remove(Inode directory, String name) {
        change(new DiskChange.Name(directory.number, name, Optional.empty()));
    }

    void rename(Inode from, String name, Inode to, String newName) {
        change(new DiskChange.Rename(from.number, name, to.number, newName));
    }

    void fill(Inode file, byte[] content) {
        change(new DiskChange.Bytes(file.number, file.content, content));
    }

    void facts(Inode inode, Owner owner, Set<PosixFilePermission> mode) {
        change(new DiskChange.Facts(inode.number, owner, mode));
    }

    void sync(Inode inode) {
        events.add(new Event(Optional.empty(), inode.number));
    }

    private void change(DiskChange change) {
        change.apply(now);
        events.add(new Event(Optional.of(change), 0));
    }

    /** What is on the disk, by absolute path, as long as the power is on. */
    public SortedMap<String, Node> tree() {
        return tree(now);
    }

    /** What is on the disk when the power goes now: one tree if everything was synced. */
    public List<SortedMap<String, Node>> afterCutNow() {
        Map<String, SortedMap<String, Node>> found = new LinkedHashMap<>();
        addStates(events.size(), found);
        return List.copyOf(found.values());
    }

    /** What may be on the disk when the power goes at any moment since {@link #settle}. */
    public List<SortedMap<String, Node>> afterAnyCut() {
        Map<String, SortedMap<String, Node>> found = new LinkedHashMap<>();
        for (int moment = 0; moment <= events.size(); moment++) {
            // until something is synced, a later moment may have all that an earlier one may
            if (moment == events.size() || events.get(moment).change().isEmpty()) {
                addStates(moment, found);
            }
        }
        return List.copyOf(found.values());
    }

    private void addStates(int moment, Map<String, SortedMap<String, Node>> found) {
        List<DiskChange> made = new ArrayList<>();
        List<Set<Integer>> unsynced = new ArrayList<>();
        for (Event event : events.subList(0, moment)) {
            if (event.change().isPresent()) {
                made.add(event.change().get());
                unsynced.add(new HashSet<>(event.change().get().inodes()));
            } else {
                unsynced.forEach(inodes -> inodes.remove(event.synced()));
            }
        }
        List<Integer> loose = new ArrayList<>();
        Set<Integer> kept = new HashSet<>();
        for (int i = 0; i < made.size(); i++) {
            (unsynced.get(i).isEmpty() ? kept : loose).add(i);
        }
        for (Set<Integer> also : subsets(loose)) {
            Set<Integer> all = new HashSet<>(kept);
            all.addAll(also);
            if (inOrder(all, made)) {
                addTorn(made, all, kept, found);
            }
        }
    }

    /** All, or if they are too many those without one, those with one, and a sample. */
    private Collection<Set<Integer>> subsets(List<Integer> of) {
        List<Set<Integer>> subsets = new ArrayList<>();
        if (of.size() < 31 && 1 << of.size() <= ALL_OF) {
            for (int bits = 0; bits < 1 << of.size(); bits++) {
                int chosen = bits;
                Set<Integer> subset = new HashSet<>();
                for (int i = 0; i < of.size(); i++) {
                    if ((chosen >> i & 1) == 1) {
                        subset.add(of.get(i));
                    }
                }
                subsets.add(subset);
            }
            return subsets;
        }
        for (int i = 0; i <= of.size(); i++) {
            subsets.add(new HashSet<>(of.subList(0, i)));
            subsets.add(new HashSet<>(of.subList(i, of.size())));
        }
        for (int i = 0; i < ALL_OF; i++) {
            Set<Integer> subset = new HashSet<>(of);
            subset.removeIf(_ -> random.nextBoolean());
            subsets.add(subset);
        }
        return subsets;
    }

    /** Whether nothing is kept whose earlier change of the same name, bytes or mode is lost. */
    private static boolean inOrder(Set<Integer> kept, List<DiskChange> made) {
        Set<String> lost = new HashSet<>();
        for (int i = 0; i < made.size(); i++) {
            Set<String> keys = made.get(i).keys();
            if (!kept.contains(i)) {
                lost.addAll(keys);
            } else if (keys.stream().anyMatch(lost::contains)) {
                return false;
            }
        }
        return true;
    }

    private void addTorn(
            List<DiskChange> made,
            Set<Integer> all,
            Set<Integer> kept,
            Map<String, SortedMap<String, Node>> found) {
        List<Optional<DiskChange.Torn>> ways = new ArrayList<>(List.of(Optional.empty()));
        boolean tears = all.stream()
                .anyMatch(i -> !kept.contains(i) && made.get(i) instanceof DiskChange.Bytes);
        if (tears) {
            ways.add(Optional.of(DiskChange.Torn.HALF));
            ways.add(Optional.of(DiskChange.Torn.ZEROS));
        }
        for (Optional<DiskChange.Torn> way : ways) {
            List<Inode> state = new ArrayList<>();
            start.forEach(inode -> state.add(inode.copy()));
            for (int i = 0; i < made.size(); i++) {
                if (all.contains(i)) {
                    boolean loose = !kept.contains(i);
                    DiskChange change = made.get(i) instanceof DiskChange.Bytes bytes && loose
                            ? way.map(bytes::as).orElse(bytes)
                            : made.get(i);
                    change.apply(state);
                }
            }
            SortedMap<String, Node> tree = tree(state);
            found.putIfAbsent(text(tree), tree);
        }
    }

    private static SortedMap<String, Node> tree(List<Inode> inodes) {
        SortedMap<String, Node> tree = new TreeMap<>();
        Deque<Map.Entry<String, Inode>> open = new ArrayDeque<>();
        open.add(Map.entry("", inodes.getFirst()));
        while (!open.isEmpty()) {
            Map.Entry<String, Inode> next = open.remove();
            Inode inode = next.getValue();
            inode.entries.ifPresent(names -> names.forEach((name, number) ->
                    open.add(Map.entry(next.getKey() + "/" + name, inodes.get(number)))));
            tree.put(
                    next.getKey().isEmpty() ? "/" : next.getKey(),
                    new Node(
                            inode.file() ? Optional.of(inode.content) : Optional.empty(),
                            inode.target,
                            inode.owner,
                            PosixFilePermissions.toString(inode.mode)));
        }
        return tree;
    }

    /** Whether a file has a name under which production writes what gets another name then. */
    static boolean temporary(String path) {
        return path.contains("/.") && RANDOM_PART.matcher(path).find();
    }

    /** A tree to be compared and read; the random part of temporary names is left out. */
    static String text(SortedMap<String, Node> tree) {
        StringBuilder text = new StringBuilder();
        tree.forEach((path, node) -> text.append(RANDOM_PART.matcher(path).replaceAll("UUID"))
                .append(' ')
                .append(node.line())
                .append('\n'));
        return text.toString();
    }

    /** Puts a tree on an empty disk, for certain. */
    void load(SortedMap<String, Node> tree) {
        Map<String, Inode> made = new HashMap<>(Map.of("/", root()));
        tree.forEach((path, node) -> {
            if (path.equals("/")) {
                return;
            }
            int slash = path.lastIndexOf('/');
            Inode parent = made.get(slash == 0 ? "/" : path.substring(0, slash));
            String name = path.substring(slash + 1);
            if (node.target().isPresent()) {
                link(parent, name, node.target().get());
                return;
            }
            Inode inode = create(
                    parent, name, node.directory(), PosixFilePermissions.fromString(node.mode()));
            inode.content = node.content().orElse(inode.content);
            inode.owner = node.owner();
            made.put(path, inode);
        });
        settle();
    }
}
