package io.kjadm.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/**
 * Objects as files of a folder, readable for their owner only. One gets its name when all of it is
 * on the disk, by a hard link, which fails where a rename would replace.
 */
final class FolderStore implements ObjectStore {

    /** Before the name of a file that is being written. */
    private static final String PART = ".part-";

    private static final Pattern PART_NAME = Pattern.compile("\\.part-[0-9a-f]{16}");

    private static final FileAttribute<?> DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<?> FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final StoreUrl url;
    private final Naming naming;
    private final FolderRemoval removal;
    private volatile boolean linksWork;

    FolderStore(StoreUrl url) {
        this(url, Files::createLink);
    }

    FolderStore(StoreUrl url, Naming naming) {
        this.url = url;
        this.naming = naming;
        this.removal = new FolderRemoval(url.folder());
    }

    /** Names a file a second time, and fails where that name is taken. */
    @FunctionalInterface
    interface Naming {

        /** As {@link Files#createLink}. */
        void link(Path name, Path file) throws IOException;
    }

    @Override
    public StoreUrl location() {
        return url;
    }

    @Override
    public Creation create(String key, Content content) {
        Path file = path(key);
        try {
            Path part = newPart(file);
            try {
                writeInside(part, content);
                return named(part, file);
            } finally {
                Files.deleteIfExists(part);
            }
        } catch (IOException | UncheckedIOException e) {
            throw new StoreException("cannot write %s".formatted(file), reason(e), e);
        }
    }

    private static Path newPart(Path file) {
        return file.resolveSibling(
                PART + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()));
    }

    private static void write(Path part, Content content) throws IOException {
        try (FileChannel channel = FileChannel.open(
                        part,
                        Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW),
                        FILE);
                OutputStream to = Channels.newOutputStream(channel)) {
            content.writeTo(to);
            channel.force(true);
        }
    }

    private Creation named(Path part, Path file) throws IOException {
        try {
            naming.link(file, part);
        } catch (FileAlreadyExistsException e) {
            return isSame(part, file) ? Creation.CREATED : Creation.EXISTS;
        } catch (UnsupportedOperationException | IOException e) {
            return copied(part, file);
        }
        SyncedFolder.sync(file.getParent());
        return Creation.CREATED;
    }

    /**
     * Whether a name is that of this file: a server of files whose answer to the first request was lost
     * refuses the second, though the name is there.
     */
    private static boolean isSame(Path part, Path file) throws IOException {
        Object own = attributes(part).fileKey();
        return own != null && own.equals(attributes(file).fileKey());
    }

    private static BasicFileAttributes attributes(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    /** Where there are no links, as on FAT: a part of it may be seen for a moment. */
    private static Creation copied(Path part, Path file) throws IOException {
        try (FileChannel from = FileChannel.open(part, StandardOpenOption.READ);
                FileChannel to = FileChannel.open(
                        file,
                        Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW),
                        FILE)) {
            long size = from.size();
            for (long at = 0; at < size; ) {
                at += from.transferTo(at, size - at, to);
            }
            to.force(true);
            SyncedFolder.sync(file.getParent());
            return Creation.CREATED;
        } catch (FileAlreadyExistsException e) {
            return isSame(part, file) ? Creation.CREATED : Creation.EXISTS;
        } catch (IOException e) {
            Files.deleteIfExists(file);
            throw e;
        }
    }

    /**
     * Others see nothing before the link, so what fails until then has written nothing. A link that
     * fails may be there all the same: a server of files may have lost its answer only.
     */
    @Override
    public Put put(String key, byte[] content) {
        Path file = path(key);
        Path part = newPart(file);
        try {
            writeInside(part, to -> to.write(content));
            requireLinks(part);
            return linked(part, file);
        } catch (IOException e) {
            throw new StoreException("cannot write %s".formatted(file), reason(e), e);
        } finally {
            discard(part);
        }
    }

    private Put linked(Path part, Path file) throws AccessDeniedException {
        try {
            naming.link(file, part);
            SyncedFolder.sync(file.getParent());
            return Put.CREATED;
        } catch (FileAlreadyExistsException e) {
            return Put.EXISTS;
        } catch (AccessDeniedException e) {
            throw e;
        } catch (IOException e) {
            return Put.UNKNOWN;
        }
    }

    @Override
    public void replace(String key, byte[] content) {
        Path file = path(key);
        Path part = newPart(file);
        try {
            writeInside(part, to -> to.write(content));
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
            SyncedFolder.sync(file.getParent());
        } catch (IOException e) {
            throw new StoreException("cannot write %s".formatted(file), reason(e), e);
        } finally {
            discard(part);
        }
    }

    /** Others may have made a link of a folder, which would lead out of the store. */
    private void writeInside(Path part, Content content) throws IOException {
        Path folder = part.getParent();
        SyncedFolder.create(folder, DIRECTORY);
        if (!isInside(folder)) {
            throw new FileSystemException(folder.toString(), null, "links are not followed");
        }
        write(part, content);
    }

    /** Shown by a name that is no key: what a link to the key itself did would not be certain. */
    private void requireLinks(Path part) {
        if (linksWork) {
            return;
        }
        Path second = newPart(part);
        try {
            naming.link(second, part);
            linksWork = true;
        } catch (IOException | UnsupportedOperationException e) {
            throw new StoreException(
                    "cannot use %s".formatted(url),
                    "its file system has no hard links, so the store cannot tell two writers apart: "
                            + reason(e),
                    e);
        } finally {
            discard(second);
        }
    }

    /** A part that stays takes room only. */
    private static void discard(Path part) {
        try {
            Files.deleteIfExists(part);
        } catch (IOException e) {
            // it is found as an unfinished write
        }
    }

    @Override
    public Optional<Stored> read(String key, int limit) {
        Path file = path(key);
        try (InputStream in = opened(file)) {
            Instant modified =
                    Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant();
            byte[] content = in.readNBytes(limit + 1);
            if (content.length > limit) {
                throw new StoreException(
                        "cannot read %s".formatted(file),
                        "it has more than %d bytes".formatted(limit));
            }
            return Optional.of(new Stored(content, modified));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new StoreException("cannot read %s".formatted(file), reason(e), e);
        }
    }

    @Override
    public Optional<InputStream> open(String key) {
        Path file = path(key);
        try {
            return Optional.of(opened(file));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new StoreException("cannot read %s".formatted(file), reason(e), e);
        }
    }

    private InputStream opened(Path file) throws IOException {
        if (!isObject(file)) {
            throw new StoreException(
                    "cannot read %s".formatted(file),
                    "it is no regular file; links in a store are not followed");
        }
        return Channels.newInputStream(
                FileChannel.open(file, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)));
    }

    @Override
    public Optional<Path> file(String key) {
        Path file = path(key);
        try {
            return isObject(file) ? Optional.of(file) : Optional.empty();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new StoreException("cannot read %s".formatted(file), reason(e), e);
        }
    }

    /** Others may write to the folder: neither a link nor a folder that is one leads out of it. */
    private boolean isObject(Path file) throws IOException {
        return isInside(file.getParent()) && attributes(file).isRegularFile();
    }

    private boolean isInside(Path folder) throws IOException {
        Path below = url.folder().relativize(folder);
        return folder.toRealPath().equals(url.folder().toRealPath().resolve(below));
    }

    @Override
    public List<StoredObject> list(String prefix) {
        List<StoredObject> found = new ArrayList<>();
        walk(prefix, (file, attributes) -> {
            if (!isPart(file)) {
                found.add(new StoredObject(
                        key(file),
                        attributes.size(),
                        attributes.lastModifiedTime().toInstant()));
            }
        });
        found.sort(Comparator.comparing(StoredObject::key));
        return found;
    }

    /** Their time is that of the last byte that was written. */
    @Override
    public List<Unfinished> unfinished(String prefix) {
        List<Unfinished> found = new ArrayList<>();
        walk(prefix, (file, attributes) -> {
            String parent = key(file.getParent());
            boolean ours = PART_NAME.matcher(file.getFileName().toString()).matches()
                    && (parent.isEmpty() || Keys.isKey(parent));
            if (ours) {
                found.add(new Unfinished(
                        key(file), "", attributes.lastModifiedTime().toInstant()));
            }
        });
        found.sort(Comparator.comparing(Unfinished::key));
        return found;
    }

    @Override
    public void abandon(Unfinished write) {
        int end = write.key().lastIndexOf('/') + 1;
        if (!PART_NAME.matcher(write.key().substring(end)).matches()) {
            throw new IllegalArgumentException(
                    "\"%s\" is no part of an object".formatted(write.key()));
        }
        Path folder = end == 0 ? url.folder() : path(write.key().substring(0, end - 1));
        removal.remove(folder.resolve(write.key().substring(end)));
    }

    private String key(Path file) {
        return url.folder().relativize(file).toString();
    }

    private static boolean isPart(Path file) {
        return file.getFileName().toString().startsWith(PART);
    }

    /** Regular files alone; links are not followed. */
    private void walk(String prefix, BiConsumer<Path, BasicFileAttributes> work) {
        Path folder = prefix.isEmpty() ? url.folder() : path(prefix.replaceAll("/$", ""));
        if (!Files.exists(folder)) {
            return;
        }
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (attributes.isRegularFile()) {
                        work.accept(file, attributes);
                    }
                    return FileVisitResult.CONTINUE;
                }

                /** It may have been removed in this moment. */
                @Override
                public FileVisitResult visitFileFailed(Path file, IOException e)
                        throws IOException {
                    if (e instanceof NoSuchFileException) {
                        return FileVisitResult.CONTINUE;
                    }
                    throw e;
                }
            });
        } catch (IOException e) {
            throw new StoreException("cannot list %s".formatted(folder), reason(e), e);
        }
    }

    /** With the folders that were made for it, once they are empty. */
    @Override
    public void delete(String key) {
        removal.remove(path(key));
    }

    @Override
    public void close() {
        // nothing is held open
    }

    private Path path(String key) {
        return url.folder().resolve(Keys.checked(key));
    }

    static String reason(Exception e) {
        return switch (e) {
            case UncheckedIOException wrapped -> reason(wrapped.getCause());
            case AccessDeniedException _ -> "permission denied";
            case FileSystemException file when file.getReason() != null -> file.getReason();
            default -> e.getMessage() == null ? e.toString() : e.getMessage();
        };
    }
}
