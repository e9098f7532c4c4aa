package io.kjadm.core.host;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * Goes through everything in a directory by the directories that it holds open ({@code openat},
 * {@code O_NOFOLLOW}), never by paths: a directory that somebody exchanges for a symbolic link
 * meanwhile leads nowhere. One entry that fails does not keep the others. The names in the outermost
 * directory are on the disk in the end, and so is what was deleted below them.
 */
final class DirectoryTree implements AutoCloseable {

    /** What is done to each entry. */
    interface Work {

        /**
         * Works on an entry.
         *
         * @return whether the walk shall open it as a directory and go on in it
         */
        boolean enter(SecureDirectoryStream<Path> parent, Path name) throws IOException;

        /** Works on a directory that has been opened, before its entries. */
        default void opened(SecureDirectoryStream<Path> directory) throws IOException {}

        /** Works on a directory whose entries are done. */
        default void leave(SecureDirectoryStream<Path> parent, Path name) throws IOException {}
    }

    /** A directory that is being gone through. */
    private record Level(Path path, SecureDirectoryStream<Path> stream, Iterator<Path> entries) {}

    private final Work work;
    // not the stack of the thread: how deep a tree is, is up to whoever made it
    private final Deque<Level> levels = new ArrayDeque<>();
    private IOException first;

    private DirectoryTree(Work work) {
        this.work = work;
    }

    /**
     * Does the work to a directory and everything in it.
     *
     * @param directory may be a link of this program's own account; those of others, who may lead
     *     it to whatever they want, are refused
     * @throws IOException the first failure, the others suppressed in it
     */
    static void walk(Path directory, Work work) throws IOException {
        Path start = behindOwnLink(directory.toAbsolutePath());
        try (DirectoryTree tree = new DirectoryTree(work);
                SecureDirectoryStream<Path> parent =
                        secure(start.getParent(), Files.newDirectoryStream(start.getParent()))) {
            tree.open(
                    start,
                    parent.newDirectoryStream(start.getFileName(), LinkOption.NOFOLLOW_LINKS));
            tree.finish();
        }
    }

    private static Path behindOwnLink(Path path) throws IOException {
        if (!Files.isSymbolicLink(path)) {
            return path;
        }
        if (!OwnAccount.has(path)) {
            throw new FileSystemException(
                    path.toString(), null, "it is a symbolic link of another account");
        }
        return path.toRealPath();
    }

    /**
     * Does the work to one entry of a directory, and to everything in it if it is a directory.
     *
     * @param entry its parent must be there; links that lead to the parent are followed
     * @throws IOException the first failure, the others suppressed in it
     */
    static void walkEntry(Path entry, Work work) throws IOException {
        Path parent = entry.getParent();
        try (DirectoryTree tree = new DirectoryTree(work)) {
            tree.levels.push(new Level(
                    parent,
                    secure(parent, Files.newDirectoryStream(parent)),
                    List.of(entry).iterator()));
            tree.finish();
        }
    }

    /** What an entry is, a link being a link. */
    static BasicFileAttributes facts(SecureDirectoryStream<Path> parent, Path name)
            throws IOException {
        return parent.getFileAttributeView(
                        name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes();
    }

    private void finish() throws IOException {
        while (!levels.isEmpty()) {
            step();
        }
        if (first != null) {
            throw first;
        }
    }

    private void open(Path path, DirectoryStream<Path> opened) throws IOException {
        SecureDirectoryStream<Path> stream = secure(path, opened);
        levels.push(new Level(path, stream, stream.iterator()));
        work.opened(stream);
    }

    private static SecureDirectoryStream<Path> secure(Path path, DirectoryStream<Path> opened)
            throws IOException {
        if (opened instanceof SecureDirectoryStream<Path> stream) {
            return stream;
        }
        opened.close();
        throw new FileSystemException(
                path.toString(), null, "this machine opens no files relative to a directory");
    }

    private void step() throws IOException {
        Level level = levels.peek();
        Path entry = next(level);
        if (entry == null) {
            if (levels.size() == 1) {
                // nothing below is on the disk that is not reached from here
                attempt(level.path(), () -> DurableFile.sync(level.stream()));
            }
            levels.pop().stream().close();
            if (!levels.isEmpty()) {
                attempt(
                        level.path(),
                        () -> work.leave(levels.peek().stream(), level.path().getFileName()));
            }
            return;
        }
        attempt(entry, () -> {
            Path name = entry.getFileName();
            if (work.enter(level.stream(), name)) {
                open(entry, level.stream().newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS));
            }
        });
    }

    private Path next(Level level) {
        try {
            return level.entries().hasNext() ? level.entries().next() : null;
        } catch (DirectoryIteratorException e) {
            remember(at(level.path(), e.getCause()));
            return null;
        }
    }

    private void attempt(Path path, Attempt action) {
        try {
            action.run();
        } catch (NoSuchFileException vanished) {
            // somebody else was faster
        } catch (IOException e) {
            remember(at(path, e));
        }
    }

    private interface Attempt {
        void run() throws IOException;
    }

    private void remember(IOException failure) {
        if (first == null) {
            first = failure;
        } else {
            first.addSuppressed(failure);
        }
    }

    /** The same with the whole path: relative to an open directory there is only a name. */
    private static IOException at(Path path, IOException failure) {
        return switch (failure) {
            case AccessDeniedException e -> new AccessDeniedException(path.toString());
            case DirectoryNotEmptyException e -> new DirectoryNotEmptyException(path.toString());
            case FileSystemException e ->
                new FileSystemException(path.toString(), null, e.getReason());
            default -> failure;
        };
    }

    @Override
    public void close() throws IOException {
        while (!levels.isEmpty()) {
            levels.pop().stream().close();
        }
    }
}
