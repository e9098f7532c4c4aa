package io.kjadm.core.host;

import io.kjadm.core.error.HostException;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Files in memory. Directories come into being with what is put into them. */
public final class MemoryFiles implements HostFiles {

    private record Entry(Optional<byte[]> content, FileMode mode) {}

    private final NavigableMap<Path, Entry> entries = new TreeMap<>();
    private final Map<Path, Path> links = new HashMap<>();
    private final Map<Path, String> broken = new HashMap<>();
    private final Map<Path, Owner> owners = new HashMap<>();
    private final Map<Path, String> keepsOwner = new HashMap<>();
    private final Set<Path> mounts = new HashSet<>();
    private final Set<Path> claimed = new HashSet<>();
    private final Map<Path, String> ids = new HashMap<>();
    private final Set<Path> unsynced = new HashSet<>();
    private boolean leftOvers;

    /** With what other files have and how they behave; for chains. */
    public MemoryFiles with(MemoryFiles other) {
        entries.putAll(other.entries);
        links.putAll(other.links);
        broken.putAll(other.broken);
        owners.putAll(other.owners);
        keepsOwner.putAll(other.keepsOwner);
        mounts.addAll(other.mounts);
        claimed.addAll(other.claimed);
        ids.putAll(other.ids);
        unsynced.addAll(other.unsynced);
        leftOvers |= other.leftOvers;
        return this;
    }

    /** The area of a change of these paths; links in them lead to more. */
    FileArea around(List<Path> paths) {
        List<Path> places = new ArrayList<>(paths);
        for (int i = 0; i < places.size(); i++) {
            Path place = places.get(i);
            links.forEach((link, target) -> {
                if (place.startsWith(link)) {
                    Path behind = target.resolve(link.relativize(place)).normalize();
                    if (!places.contains(behind)) {
                        places.add(behind);
                    }
                }
            });
        }
        return new FileArea(places);
    }

    /** What is in an area. */
    SortedMap<String, CrashDisk.Node> tree(FileArea area) {
        SortedMap<String, CrashDisk.Node> tree = new TreeMap<>();
        entries.forEach((path, entry) -> {
            if (area.has(path)) {
                String mode = PosixFilePermissions.toString(entry.mode().permissions());
                tree.put(
                        path.toString(),
                        new CrashDisk.Node(entry.content(), Optional.empty(), owner(path), mode));
            }
        });
        links.forEach((path, target) -> {
            if (area.has(path)) {
                tree.put(
                        path.toString(),
                        new CrashDisk.Node(
                                Optional.empty(), Optional.of(target), owner(path), "rwxrwxrwx"));
            }
        });
        return tree;
    }

    /** Has in an area what a disk holds after a power cut; links are copies. */
    void become(FileArea area, SortedMap<String, CrashDisk.Node> tree) {
        leftOvers |= tree.keySet().stream().anyMatch(CrashDisk::temporary);
        Map<Path, Path> before = Map.copyOf(links);
        entries.keySet().removeIf(area::has);
        links.keySet().removeIf(area::has);
        owners.keySet().removeIf(area::has);
        tree.forEach((name, node) -> {
            Path path = Path.of(name);
            if (node.target().isPresent() && before.containsKey(path)) {
                links.put(path, node.target().get());
            } else if (node.target().isEmpty()) {
                entries.put(path, new Entry(node.content(), mode(node)));
            }
            if (!node.owner().equals(Owner.ROOT)) {
                owners.put(path, node.owner());
            }
        });
        tree.forEach((name, node) -> {
            Path path = Path.of(name);
            if (node.target().isPresent() && !before.containsKey(path)) {
                write(path, readBytes(node.target().get()).orElseThrow(), FileMode.OWNER_ONLY);
            }
        });
    }

    private static FileMode mode(CrashDisk.Node node) {
        return Arrays.stream(FileMode.values())
                .filter(mode ->
                        PosixFilePermissions.toString(mode.permissions()).equals(node.mode()))
                .filter(mode -> node.directory() || mode != FileMode.OPEN_DIRECTORY)
                .reduce((one, other) -> other)
                .orElseThrow(() -> new IllegalStateException(node.mode()));
    }

    /** With a text file; for chains. */
    public MemoryFiles with(String path, String content) {
        write(Path.of(path), content, FileMode.WORLD_READABLE);
        return this;
    }

    /** With a file of bytes; for chains. */
    public MemoryFiles with(String path, byte[] content) {
        write(Path.of(path), content, FileMode.WORLD_READABLE);
        return this;
    }

    /**
     * With a file that another program wrote and did not sync: a power cut may take it until it is
     * synced or written again ({@link #losePower}).
     */
    public MemoryFiles withUnsynced(String path, byte[] content) {
        with(path, content);
        unsynced.add(Path.of(path));
        return this;
    }

    /** What other programs did not sync stays, is lost, or is empty or zeros now; no lock is held. */
    public void losePower(Random random) {
        claimed.clear();
        unsynced.stream().sorted().filter(entries::containsKey).forEach(path -> {
            Entry entry = entries.get(path);
            int length = entry.content().orElseThrow().length;
            switch (random.nextInt(4)) {
                case 0 -> entries.remove(path);
                case 1 -> entries.put(path, new Entry(Optional.of(new byte[0]), entry.mode()));
                case 2 -> entries.put(path, new Entry(Optional.of(new byte[length]), entry.mode()));
                default -> {
                    // by chance it was on the disk
                }
            }
        });
        unsynced.clear();
    }

    /** With an empty directory; for chains. */
    public MemoryFiles withDirectory(String path) {
        createDirectory(Path.of(path), FileMode.OPEN_DIRECTORY);
        return this;
    }

    /** With a symbolic link to a directory; what is behind it is not found by paths through it. */
    public MemoryFiles withLink(String link, String target) {
        createParents(Path.of(link));
        links.put(Path.of(link), Path.of(target));
        return this;
    }

    /** With that {@link #fileId}; for chains. */
    public MemoryFiles identified(String path, String id) {
        ids.put(Path.of(path), id);
        return this;
    }

    @Override
    public Optional<String> fileId(Path path) {
        return Optional.ofNullable(ids.get(path));
    }

    /** Every change at that very path fails from now on. */
    public MemoryFiles refusing(String path, String why) {
        broken.put(Path.of(path), why);
        return this;
    }

    /** That very path cannot be given to anybody from now on. */
    public MemoryFiles keepingOwner(String path, String why) {
        keepsOwner.put(Path.of(path), why);
        return this;
    }

    /** A directory that is a mount of its own: nothing is renamed into it or out of it. */
    public MemoryFiles withMount(String directory) {
        mounts.add(Path.of(directory));
        return this;
    }

    /** The mode a file or directory was made with. */
    public Optional<FileMode> mode(Path path) {
        return Optional.ofNullable(entries.get(path)).map(Entry::mode);
    }

    @Override
    public Set<PosixFilePermission> permissions(Path path) {
        return mode(path).map(FileMode::permissions).orElse(Set.of());
    }

    /** Who a file or directory belongs to: root, until it is given away. */
    @Override
    public Owner owner(Path path) {
        return owners.getOrDefault(path, Owner.ROOT);
    }

    /** All files (not directories), sorted. */
    public List<Path> files() {
        return entries.entrySet().stream()
                .filter(entry -> entry.getValue().content().isPresent())
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The text of a file that must be there. */
    public String text(String path) {
        return new String(readBytes(Path.of(path)).orElseThrow(), StandardCharsets.UTF_8);
    }

    private void requireWorking(Path path) {
        String why = broken.get(path);
        if (why != null) {
            throw new HostException("cannot change " + path, why, "");
        }
    }

    @Override
    public boolean exists(Path path) {
        return entries.containsKey(path) || links.containsKey(path);
    }

    @Override
    public boolean isDirectory(Path path) {
        return Optional.ofNullable(entries.get(links.getOrDefault(path, path)))
                .filter(entry -> entry.content().isEmpty())
                .isPresent();
    }

    @Override
    public Optional<Path> realPath(Path path) {
        return links.containsKey(path)
                ? Optional.of(links.get(path))
                : HostFiles.super.realPath(path);
    }

    @Override
    public Optional<byte[]> readBytes(Path path) {
        Optional<Entry> entry = Optional.ofNullable(entries.get(path));
        if (entry.isPresent() && entry.get().content().isEmpty()) {
            throw new HostException("cannot read " + path, "it is a directory", "");
        }
        return entry.flatMap(Entry::content).map(byte[]::clone);
    }

    @Override
    public void write(Path path, byte[] content, FileMode mode) {
        requireWorking(path);
        if (isDirectory(path)) {
            throw new HostException("cannot write " + path, "it is a directory", "");
        }
        createParents(path);
        removeLeftOvers(path);
        entries.put(path, new Entry(Optional.of(content.clone()), mode));
        unsynced.remove(path);
        owners.remove(path);
    }

    /** As on a disk: a power cut may have left some ({@link CrashStates}). */
    private void removeLeftOvers(Path path) {
        if (leftOvers) {
            Predicate<Path> leftOver = TemporaryName.leftOvers(path);
            entries.keySet()
                    .removeIf(entry ->
                            path.getParent().equals(entry.getParent()) && leftOver.test(entry));
        }
    }

    @Override
    public void append(Path path, String text) {
        Owner before = owner(path);
        write(path, read(path).orElse("") + text, mode(path).orElse(FileMode.WORLD_READABLE));
        owners.put(path, before);
    }

    @Override
    public void own(Path file, Owner owner, FileMode mode) {
        requireOwnable(file);
        unsynced.remove(file);
        owners.put(file, owner);
        entries.computeIfPresent(file, (path, entry) -> new Entry(entry.content(), mode));
    }

    @Override
    public void ownTree(Path directory, Owner owner) {
        requireOwnable(directory);
        Path real = links.getOrDefault(directory, directory);
        unsynced.removeIf(path -> path.startsWith(real));
        entries.keySet().stream()
                .filter(path -> path.startsWith(real))
                .forEach(path -> owners.put(path, owner));
    }

    private void requireOwnable(Path path) {
        requireWorking(path);
        String why = keepsOwner.get(path);
        if (why != null) {
            throw new HostException("cannot change the owner of " + path, why, "");
        }
        if (!exists(path)) {
            throw new HostException(
                    "cannot change the owner of " + path, path + " does not exist", "");
        }
    }

    @Override
    public Optional<Claim> claim(Path lockFile) {
        return claimed.add(lockFile)
                ? Optional.of(() -> claimed.remove(lockFile))
                : Optional.empty();
    }

    private void createParents(Path path) {
        if (path.getParent() != null && !entries.containsKey(path.getParent())) {
            createDirectory(path.getParent(), KubernetesPaths.parentMode(path));
        }
    }

    @Override
    public void createDirectory(Path path, FileMode mode) {
        if (isDirectory(path)) {
            return;
        }
        requireWorking(path);
        if (entries.containsKey(path)) {
            throw new HostException(
                    "cannot create directory " + path, path + " already exists", "");
        }
        createParents(path);
        entries.put(path, new Entry(Optional.empty(), mode));
    }

    @Override
    public void createOwnDirectory(Path path) {
        if (links.containsKey(path) || !owner(path).equals(Owner.ROOT)) {
            throw new HostException("%s cannot be used".formatted(path), "it is not root's", "");
        }
        createDirectory(path, FileMode.PRIVATE_DIRECTORY);
    }

    @Override
    public List<Path> list(Path directory) {
        return Stream.concat(entries.keySet().stream(), links.keySet().stream())
                .filter(path -> directory.equals(path.getParent()))
                .sorted()
                .toList();
    }

    @Override
    public void delete(Path path) {
        requireWorking(path);
        if (!list(path).isEmpty()) {
            throw new HostException("cannot delete " + path, path + " is not empty", "");
        }
        removeLeftOvers(path);
        links.remove(path);
        entries.remove(path);
    }

    @Override
    public void deleteContents(Path directory) {
        requireWorking(directory);
        Path real = links.getOrDefault(directory, directory);
        entries.keySet().removeIf(path -> path.startsWith(real) && !path.equals(real));
        links.keySet().removeIf(path -> path.startsWith(real) && !path.equals(real));
    }

    @Override
    public void deleteTree(Path path) {
        requireWorking(path);
        entries.keySet().removeIf(entry -> entry.startsWith(path));
        links.keySet().removeIf(link -> link.startsWith(path));
    }

    @Override
    public void rename(Path from, Path to) {
        requireWorking(from);
        requireWorking(to);
        if (!exists(from) || exists(to)) {
            throw new HostException(
                    "cannot rename %s to %s".formatted(from, to),
                    exists(to) ? to + " already exists" : from + " does not exist",
                    "");
        }
        if (mounts.stream().anyMatch(mount -> from.startsWith(mount) != to.startsWith(mount))) {
            throw new HostException(
                    "cannot rename %s to %s".formatted(from, to), "Invalid cross-device link", "");
        }
        if (!isDirectory(to.getParent())) {
            throw new HostException(
                    "cannot rename %s to %s".formatted(from, to),
                    to.getParent() + " does not exist",
                    "");
        }
        if (links.containsKey(from)) {
            links.put(to, links.remove(from));
            return;
        }
        move(entries, from, to);
        move(owners, from, to);
        List<Path> moved =
                unsynced.stream().filter(path -> path.startsWith(from)).toList();
        moved.forEach(path -> {
            unsynced.remove(path);
            unsynced.add(to.resolve(from.relativize(path)));
        });
    }

    private static <T> void move(Map<Path, T> tree, Path from, Path to) {
        Map<Path, T> moved = new HashMap<>();
        tree.forEach((path, value) -> {
            if (path.startsWith(from)) {
                moved.put(path.equals(from) ? to : to.resolve(from.relativize(path)), value);
            }
        });
        tree.keySet().removeIf(path -> path.startsWith(from));
        tree.putAll(moved);
    }
}
