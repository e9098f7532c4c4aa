package io.kjadm.core.host;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A file below a directory, reached through no symbolic link below that directory: each component
 * is opened relative to the one before it ({@code openat}, {@code O_NOFOLLOW}), so a link that
 * another account creates meanwhile leads nowhere.
 */
final class LinkFreePath implements AutoCloseable {

    private static final Set<OpenOption> READ =
            Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> CREATE = Set.of(
            StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW, LinkOption.NOFOLLOW_LINKS);

    /** Far more than a key, a certificate or a list of metrics has. */
    private static final int LONGEST = 16 << 20;

    /** Another writer of the same file deletes what it finds once, at its beginning. */
    private static final int MOST_TRIES = 100;

    private final Deque<SecureDirectoryStream<Path>> opened = new ArrayDeque<>();
    private Path reached;

    private LinkFreePath(Path root) throws IOException {
        reached = root;
        open(Files.newDirectoryStream(root));
    }

    /**
     * Reads a file; empty if it or a directory above it does not exist.
     *
     * @param root links that lead to it are followed
     * @throws IOException if a component below the root is a link or of another kind, or the file is
     *     longer than 16 MiB
     */
    static Optional<byte[]> read(Path root, Path file) throws IOException {
        if (!Files.isDirectory(root)) {
            return Optional.empty();
        }
        try (LinkFreePath path = new LinkFreePath(root)) {
            for (Path name : directories(file)) {
                path.enter(name);
            }
            return path.content(file.getFileName());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private Optional<byte[]> content(Path name) throws IOException {
        requireFile(name);
        try (SeekableByteChannel channel = opened.peek().newByteChannel(name, READ)) {
            byte[] content = Channels.newInputStream(channel).readNBytes(LONGEST + 1);
            if (content.length > LONGEST) {
                throw refused(reached.resolve(name), "is longer than %d bytes".formatted(LONGEST));
            }
            return Optional.of(content);
        }
    }

    /**
     * Creates a file that does not exist, so that a reader sees all of it or nothing. Missing
     * directories below the root are created as {@link KubernetesPaths#parentMode} says.
     *
     * @param root a directory
     * @throws FileAlreadyExistsException if the file exists
     * @throws IOException                if a component below the root is a link or of another kind
     */
    static void create(Path root, Path file, byte[] content, FileMode mode) throws IOException {
        try (LinkFreePath path = new LinkFreePath(root)) {
            for (Path name : directories(file)) {
                path.enterOrCreate(name, KubernetesPaths.parentMode(root.resolve(file)));
            }
            path.create(file.getFileName(), content, mode);
        }
    }

    private void create(Path name, byte[] content, FileMode mode) throws IOException {
        requireNothing(name);
        deleteLeftOvers(name);
        Path hidden = hidden(name, content, mode);
        try {
            requireNothing(name);
            move(hidden, name);
        } catch (IOException e) {
            removeQuietly(opened.peek(), hidden, e);
            throw e;
        }
    }

    /**
     * Writes a file in a directory so that a reader sees the old one or all of the new one. A link
     * that has its name is replaced, not followed.
     *
     * @param directory links that lead to it are followed
     */
    static void replace(Path directory, Path name, byte[] content, FileMode mode)
            throws IOException {
        try (LinkFreePath path = new LinkFreePath(directory)) {
            path.deleteLeftOvers(name);
            int tries = 1;
            while (!path.replace(name, content, mode, tries == MOST_TRIES)) {
                tries++;
            }
        }
    }

    /** Whether it is written; not if another process took its hidden file for a left-over. */
    private boolean replace(Path name, byte[] content, FileMode mode, boolean last)
            throws IOException {
        try {
            writeAndMove(name, content, mode);
            return true;
        } catch (NoSuchFileException e) {
            if (last) {
                throw e;
            }
            return false;
        }
    }

    private void writeAndMove(Path name, byte[] content, FileMode mode) throws IOException {
        Path hidden = hidden(name, content, mode);
        try {
            move(hidden, name);
        } catch (IOException e) {
            removeQuietly(opened.peek(), hidden, e);
            throw e;
        }
    }

    private void move(Path hidden, Path name) throws IOException {
        SecureDirectoryStream<Path> directory = opened.peek();
        directory.move(hidden, directory, name);
        DurableFile.sync(directory);
    }

    /** What killed writes of a file have left; a directory can be listed once. */
    private void deleteLeftOvers(Path name) throws IOException {
        Predicate<Path> leftOver = TemporaryName.leftOvers(name);
        for (Path entry : opened.peek()) {
            if (leftOver.test(entry)) {
                deleteIfPresent(opened.peek(), entry.getFileName());
            }
        }
    }

    /** A new file beside the one that it is to become. */
    private Path hidden(Path name, byte[] content, FileMode mode) throws IOException {
        Path hidden = TemporaryName.beside(name).getFileName();
        try {
            write(opened.peek(), hidden, content, mode);
            return hidden;
        } catch (IOException e) {
            removeQuietly(opened.peek(), hidden, e);
            throw e;
        }
    }

    private static void write(
            SecureDirectoryStream<Path> directory, Path name, byte[] content, FileMode mode)
            throws IOException {
        var closed = PosixFilePermissions.asFileAttribute(FileMode.OWNER_ONLY.permissions());
        try (SeekableByteChannel channel = directory.newByteChannel(name, CREATE, closed)) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            directory
                    .getFileAttributeView(
                            name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .setPermissions(mode.permissions());
            if (channel instanceof FileChannel file) {
                file.force(true);
            }
        }
    }

    private static void removeQuietly(
            SecureDirectoryStream<Path> directory, Path name, IOException first) {
        try {
            deleteIfPresent(directory, name);
        } catch (IOException e) {
            first.addSuppressed(e);
        }
    }

    private static void deleteIfPresent(SecureDirectoryStream<Path> directory, Path name)
            throws IOException {
        try {
            directory.deleteFile(name);
        } catch (NoSuchFileException e) {
            // it was not created, or another process has deleted it at this moment
        }
    }

    private void requireNothing(Path name) throws IOException {
        try {
            requireFile(name);
        } catch (NoSuchFileException expected) {
            return;
        }
        throw new FileAlreadyExistsException(reached.resolve(name).toString());
    }

    private void requireFile(Path name) throws IOException {
        BasicFileAttributes facts = DirectoryTree.facts(opened.peek(), name);
        if (!facts.isRegularFile()) {
            throw refused(
                    reached.resolve(name),
                    facts.isSymbolicLink() ? "is a symbolic link" : "is not a regular file");
        }
    }

    private void enterOrCreate(Path name, FileMode mode) throws IOException {
        try {
            enter(name);
        } catch (NoSuchFileException missing) {
            // the JDK has no mkdirat; entering it then refuses what a link has led to
            DurableFile.createDirectory(reached.resolve(name), mode);
            enter(name);
            PosixFileAttributeView facts =
                    opened.peek().getFileAttributeView(PosixFileAttributeView.class);
            if (!facts.readAttributes().permissions().equals(mode.permissions())) {
                facts.setPermissions(mode.permissions());
                DurableFile.sync(opened.peek());
            }
        }
    }

    private void enter(Path name) throws IOException {
        BasicFileAttributes facts = DirectoryTree.facts(opened.peek(), name);
        Path directory = reached.resolve(name);
        if (!facts.isDirectory()) {
            throw refused(
                    directory, facts.isSymbolicLink() ? "is a symbolic link" : "is no directory");
        }
        open(opened.peek().newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS));
        reached = directory;
    }

    private void open(DirectoryStream<Path> stream) throws IOException {
        if (!(stream instanceof SecureDirectoryStream<Path> secure)) {
            stream.close();
            throw refused(reached, "is on a file system without openat");
        }
        opened.push(secure);
    }

    private static Iterable<Path> directories(Path file) {
        return file.getParent() == null ? Set.<Path>of() : file.getParent();
    }

    private static FileSystemException refused(Path path, String why) {
        return new FileSystemException(path.toString(), null, why);
    }

    @Override
    public void close() throws IOException {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }
}
