package io.kjadm.core.host;

import io.kjadm.core.error.HostException;
import io.kjadm.core.phase.Reporter;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of a dry run: what is underneath is read, every change is told to the operator and kept
 * in memory, so that a later step of the same run finds what an earlier one would have written.
 */
public final class OverlayFiles implements HostFiles {

    private static final String AREA = "dryrun";
    private static final Pattern SECRET_TEXT = Pattern.compile(
            "PRIVATE KEY-----|client-key-data:|^\\s*(?:token|password|secret):\\s*\\S",
            Pattern.MULTILINE);

    /** Where kjadm notes how far it has come, step by step. */
    private static final List<Path> NOTES =
            List.of(Path.of("/var/lib/kjadm"), Path.of("/etc/kubernetes/tmp"));

    private final HostFiles underneath;
    private final Reporter out;
    private final Map<Path, byte[]> written = new TreeMap<>();
    private final Set<Path> created = new TreeSet<>();
    /** Paths that hide whatever is underneath at or below them. */
    private final Set<Path> removed = new HashSet<>();

    /** An overlay without changes. */
    public OverlayFiles(HostFiles underneath, Reporter out) {
        this.underneath = underneath;
        this.out = out;
    }

    @Override
    public boolean exists(Path path) {
        return written.containsKey(path)
                || isDirectory(path)
                || shows(path) && underneath.exists(path);
    }

    @Override
    public boolean isDirectory(Path path) {
        return created.contains(path) || shows(path) && underneath.isDirectory(path);
    }

    private boolean shows(Path path) {
        return removed.stream().noneMatch(path::startsWith);
    }

    @Override
    public Optional<Path> realPath(Path path) {
        return shows(path) && underneath.exists(path)
                ? underneath.realPath(path)
                : HostFiles.super.realPath(path);
    }

    @Override
    public Owner owner(Path path) {
        return shows(path) && underneath.exists(path) ? underneath.owner(path) : Owner.ROOT;
    }

    @Override
    public Set<PosixFilePermission> permissions(Path path) {
        return shows(path) && underneath.exists(path) ? underneath.permissions(path) : Set.of();
    }

    @Override
    public Optional<String> fileId(Path path) {
        return shows(path) ? underneath.fileId(path) : Optional.empty();
    }

    @Override
    public Optional<byte[]> readBytes(Path path) {
        byte[] content = written.get(path);
        if (content != null) {
            return Optional.of(content.clone());
        }
        return shows(path) ? underneath.readBytes(path) : Optional.empty();
    }

    @Override
    public Optional<byte[]> readStart(Path path, int limit) {
        return written.containsKey(path) || !shows(path)
                ? HostFiles.super.readStart(path, limit)
                : underneath.readStart(path, limit);
    }

    @Override
    public InputStream open(Path path) {
        return written.containsKey(path) || !shows(path)
                ? HostFiles.super.open(path)
                : underneath.open(path);
    }

    @Override
    public void write(Path path, byte[] content, FileMode mode) {
        out.step(AREA, "Would write file \"%s\" with content:".formatted(path));
        out.print(shown(path, content));
        keep(path, content);
    }

    /** What would fill it is not fetched. */
    @Override
    public void fill(Path path, FileMode mode, Filling content) {
        out.step(AREA, "Would write file \"%s\" (content not shown)".formatted(path));
        keep(path, new byte[0]);
    }

    @Override
    public void append(Path path, String text) {
        out.step(AREA, "Would append to file \"%s\":".formatted(path));
        out.print(text);
        keep(path, (read(path).orElse("") + text).getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void own(Path file, Owner owner, FileMode mode) {
        requirePresent(file);
        out.step(
                AREA,
                "Would change the owner of \"%s\" to %s and its mode to %s"
                        .formatted(file, owner, PosixFilePermissions.toString(mode.permissions())));
    }

    @Override
    public void ownTree(Path directory, Owner owner) {
        requirePresent(directory);
        out.step(
                AREA,
                "Would change the owner of \"%s\" and everything in it to %s"
                        .formatted(directory, owner));
    }

    private void requirePresent(Path path) {
        if (!exists(path)) {
            throw new HostException(
                    "cannot change the owner of " + path,
                    path + " does not exist",
                    "check the path, then run the command again");
        }
    }

    /** Nothing is changed, so nobody has to be kept out. */
    @Override
    public Optional<Claim> claim(Path lockFile) {
        return Optional.of(() -> {});
    }

    private void keep(Path path, byte[] content) {
        rememberParents(path);
        written.put(path, content.clone());
    }

    private void rememberParents(Path path) {
        for (Path above = path.getParent(); above != null; above = above.getParent()) {
            created.add(above);
        }
    }

    private static String shown(Path path, byte[] content) {
        String name = path.getFileName().toString();
        boolean note = NOTES.stream().anyMatch(path::startsWith);
        if (note || name.endsWith(".key") || name.endsWith(".conf")) {
            return "(content not shown)";
        }
        return text(content)
                .filter(text -> !SECRET_TEXT.matcher(text).find())
                .orElse("(content not shown)");
    }

    private static Optional<String> text(byte[] content) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(content))
                    .toString());
        } catch (CharacterCodingException binary) {
            return Optional.empty();
        }
    }

    @Override
    public void createDirectory(Path path, FileMode mode) {
        if (isDirectory(path)) {
            return;
        }
        out.step(AREA, "Would create directory \"%s\"".formatted(path));
        rememberParents(path);
        created.add(path);
    }

    @Override
    public List<Path> list(Path directory) {
        if (!isDirectory(directory)) {
            return List.of();
        }
        Stream<Path> below = shows(directory)
                ? underneath.list(directory).stream().filter(this::shows)
                : Stream.empty();
        Stream<Path> above = Stream.concat(written.keySet().stream(), created.stream())
                .filter(path -> directory.equals(path.getParent()));
        return Stream.concat(below, above).distinct().sorted().toList();
    }

    /** What is written here only in words takes no room. */
    @Override
    public long treeBytes(Path directory) {
        return underneath.treeBytes(directory);
    }

    @Override
    public void delete(Path path) {
        if (!exists(path)) {
            return;
        }
        out.step(AREA, "Would delete \"%s\"".formatted(path));
        forget(path);
    }

    private void forget(Path path) {
        written.keySet().removeIf(kept -> kept.startsWith(path));
        created.removeIf(kept -> kept.startsWith(path));
        removed.add(path);
    }

    @Override
    public void deleteContents(Path directory) {
        if (!isDirectory(directory)) {
            return;
        }
        out.step(AREA, "Would delete the contents of directory \"%s\"".formatted(directory));
        list(directory).forEach(this::forget);
    }

    @Override
    public void deleteTree(Path path) {
        if (!exists(path)) {
            return;
        }
        out.step(AREA, "Would delete \"%s\" and everything in it".formatted(path));
        forget(path);
    }

    @Override
    public void rename(Path from, Path to) {
        if (!exists(from) || exists(to)) {
            throw new HostException(
                    "cannot rename %s to %s".formatted(from, to),
                    exists(to) ? to + " already exists" : from + " does not exist",
                    "check both paths, then run the command again");
        }
        out.step(AREA, "Would rename \"%s\" to \"%s\"".formatted(from, to));
        copy(from, to);
        forget(from);
    }

    private void copy(Path from, Path to) {
        if (!isDirectory(from)) {
            keep(to, readBytes(from).orElseThrow());
            return;
        }
        rememberParents(to);
        created.add(to);
        list(from).forEach(entry -> copy(entry, to.resolve(entry.getFileName())));
    }
}
