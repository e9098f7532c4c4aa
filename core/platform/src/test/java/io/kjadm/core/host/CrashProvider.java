package io.kjadm.core.host;

import io.kjadm.core.host.CrashDisk.Inode;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The calls of the JDK that production makes, on a {@link CrashDisk}; the umask is 022. */
final class CrashProvider extends FileSystemProvider {

    private static final Set<PosixFilePermission> UMASK =
            PosixFilePermissions.fromString("----w--w-");

    private final CrashDisk disk;
    private final CrashFileSystem files;

    CrashProvider(CrashDisk disk, CrashFileSystem files) {
        this.disk = disk;
        this.files = files;
    }

    /** A name in a directory, and what it is. */
    private record Place(Inode directory, String name, Optional<Inode> inode) {}

    private Place place(Path path, boolean follow) throws IOException {
        return place(disk.root(), CrashFileSystem.plainPath(path), follow, 0);
    }

    private Place place(Inode from, Path path, boolean follow, int links) throws IOException {
        if (links > 10) {
            throw new FileSystemLoopException(path.toString());
        }
        Inode directory = from;
        Path normal = path.normalize();
        Place place = new Place(from, "", Optional.of(from));
        for (int i = 0; i < normal.getNameCount() && !normal.toString().isEmpty(); i++) {
            boolean last = i == normal.getNameCount() - 1;
            String name = normal.getName(i).toString();
            if (!directory.directory()) {
                throw new NotDirectoryException(path.toString());
            }
            Optional<Inode> inode =
                    Optional.ofNullable(directory.names().get(name)).map(disk::inode);
            place = new Place(directory, name, inode);
            if (inode.flatMap(found -> found.target).isPresent() && (follow || !last)) {
                Path target = inode.get().target.get();
                Inode base = target.isAbsolute() ? disk.root() : directory;
                place = place(base, target, true, links + 1);
            }
            if (!last) {
                directory =
                        place.inode().orElseThrow(() -> new NoSuchFileException(path.toString()));
            }
        }
        return place;
    }

    private Inode inode(Path path, boolean follow) throws IOException {
        return place(path, follow)
                .inode()
                .orElseThrow(() -> new NoSuchFileException(path.toString()));
    }

    private CrashAttributeView view(CrashAttributeView.Finder finder) {
        return new CrashAttributeView(disk, finder);
    }

    private static boolean follows(Object... options) {
        return !Arrays.asList(options).contains(LinkOption.NOFOLLOW_LINKS);
    }

    /** Without symbolic links. */
    Path real(Path path) throws IOException {
        inode(path, true);
        Path real = Path.of("/");
        for (Path name : path) {
            real = real.resolve(name);
            Optional<Path> target = inode(real, false).target;
            if (target.isPresent()) {
                real = real(real.resolveSibling(target.get()));
            }
        }
        return real;
    }

    private static Set<PosixFilePermission> mode(
            Set<PosixFilePermission> usual, FileAttribute<?>... attributes) {
        Set<PosixFilePermission> mode = new HashSet<>(usual);
        for (FileAttribute<?> attribute : attributes) {
            mode.clear();
            ((Set<?>) attribute.value()).forEach(bit -> mode.add((PosixFilePermission) bit));
        }
        mode.removeAll(UMASK);
        return mode;
    }

    @Override
    public FileChannel newFileChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        return open(path, place(path, follows(options.toArray())), options, attributes);
    }

    private FileChannel open(
            Path path,
            Place place,
            Set<? extends OpenOption> options,
            FileAttribute<?>... attributes)
            throws IOException {
        if (place.inode().isEmpty()) {
            if (!options.contains(StandardOpenOption.CREATE)
                    && !options.contains(StandardOpenOption.CREATE_NEW)) {
                throw new NoSuchFileException(path.toString());
            }
            Set<PosixFilePermission> mode =
                    mode(PosixFilePermissions.fromString("rw-rw-rw-"), attributes);
            return new CrashChannel(
                    disk, disk.create(place.directory(), place.name(), false, mode));
        }
        Inode inode = place.inode().get();
        if (options.contains(StandardOpenOption.CREATE_NEW)) {
            throw new FileAlreadyExistsException(path.toString());
        }
        if (inode.target.isPresent()) {
            throw new FileSystemException(path.toString(), null, "Too many levels of links");
        }
        if (inode.directory() && options.contains(StandardOpenOption.WRITE)) {
            throw new FileSystemException(path.toString(), null, "Is a directory");
        }
        if (options.contains(StandardOpenOption.TRUNCATE_EXISTING) && inode.content.length > 0) {
            disk.fill(inode, new byte[0]);
        }
        return new CrashChannel(disk, inode);
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        return newFileChannel(path, options, attributes);
    }

    @Override
    public void createDirectory(Path path, FileAttribute<?>... attributes) throws IOException {
        Place place = place(path, false);
        if (place.inode().isPresent()) {
            throw new FileAlreadyExistsException(path.toString());
        }
        Set<PosixFilePermission> mode =
                mode(PosixFilePermissions.fromString("rwxrwxrwx"), attributes);
        disk.create(place.directory(), place.name(), true, mode);
    }

    @Override
    public void createSymbolicLink(Path link, Path target, FileAttribute<?>... attributes)
            throws IOException {
        Place place = place(link, false);
        if (place.inode().isPresent()) {
            throw new FileAlreadyExistsException(link.toString());
        }
        disk.link(place.directory(), place.name(), CrashFileSystem.plainPath(target));
    }

    @Override
    public void createLink(Path link, Path existing) throws IOException {
        Place place = place(link, false);
        if (place.inode().isPresent()) {
            throw new FileAlreadyExistsException(link.toString());
        }
        disk.hardLink(place.directory(), place.name(), inode(existing, false));
    }

    @Override
    public void delete(Path path) throws IOException {
        Inode inode = inode(path, false);
        remove(path, place(path, false), inode.directory());
    }

    private void remove(Path path, Place place, boolean directory) throws IOException {
        Inode inode = place.inode().orElseThrow(() -> new NoSuchFileException(path.toString()));
        if (inode.directory() != directory) {
            String why = directory ? "Not a directory" : "Is a directory";
            throw new FileSystemException(path.toString(), null, why);
        }
        if (directory && !inode.names().isEmpty()) {
            throw new DirectoryNotEmptyException(path.toString());
        }
        disk.remove(place.directory(), place.name());
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        move(target, place(source, false), place(target, false));
    }

    private void move(Path target, Place from, Place to) throws IOException {
        Inode moved = from.inode().orElseThrow(() -> new NoSuchFileException(target.toString()));
        if (to.inode().isPresent()) {
            Inode old = to.inode().get();
            if (old.directory() != moved.directory()) {
                throw new FileSystemException(target.toString(), null, "Is or is no directory");
            }
            if (old.directory() && !old.names().isEmpty()) {
                throw new DirectoryNotEmptyException(target.toString());
            }
        }
        disk.rename(from.directory(), from.name(), to.directory(), to.name());
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(
            Path directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
        return list(directory, inode(directory, true), filter);
    }

    private OpenDirectory list(
            Path path, Inode directory, DirectoryStream.Filter<? super Path> filter)
            throws IOException {
        if (!directory.directory()) {
            throw new NotDirectoryException(path.toString());
        }
        List<Path> entries = new ArrayList<>();
        for (String name : directory.names().keySet()) {
            Path entry = path.resolve(name);
            if (filter.accept(entry)) {
                entries.add(entry);
            }
        }
        return new OpenDirectory(directory, entries);
    }

    /** What the kernel's calls relative to a directory do. */
    private final class OpenDirectory implements SecureDirectoryStream<Path> {

        private final Inode directory;
        private final List<Path> entries;

        private OpenDirectory(Inode directory, List<Path> entries) {
            this.directory = directory;
            this.entries = entries;
        }

        private Place at(Path name, boolean follow) throws IOException {
            return place(directory, CrashFileSystem.plainPath(name), follow, 0);
        }

        @Override
        public SecureDirectoryStream<Path> newDirectoryStream(Path name, LinkOption... options)
                throws IOException {
            Inode inode = at(name, follows((Object[]) options))
                    .inode()
                    .orElseThrow(() -> new NoSuchFileException(name.toString()));
            return list(name, inode, _ -> true);
        }

        @Override
        public SeekableByteChannel newByteChannel(
                Path name, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
                throws IOException {
            return open(name, at(name, follows(options.toArray())), options, attributes);
        }

        @Override
        public void deleteFile(Path name) throws IOException {
            remove(name, at(name, false), false);
        }

        @Override
        public void deleteDirectory(Path name) throws IOException {
            remove(name, at(name, false), true);
        }

        @Override
        public void move(Path source, SecureDirectoryStream<Path> to, Path target)
                throws IOException {
            CrashProvider.this.move(
                    target, at(source, false), ((OpenDirectory) to).at(target, false));
        }

        @Override
        public <V extends FileAttributeView> V getFileAttributeView(Class<V> type) {
            return type.cast(view(() -> directory));
        }

        @Override
        public <V extends FileAttributeView> V getFileAttributeView(
                Path name, Class<V> type, LinkOption... options) {
            return type.cast(view(() -> at(name, follows((Object[]) options))
                    .inode()
                    .orElseThrow(() -> new NoSuchFileException(name.toString()))));
        }

        @Override
        public Iterator<Path> iterator() {
            return entries.iterator();
        }

        @Override
        public void close() {}
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(
            Path path, Class<V> type, LinkOption... options) {
        return type.cast(view(() -> inode(path, follows((Object[]) options))));
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(
            Path path, Class<A> type, LinkOption... options) throws IOException {
        return type.cast(
                new CrashAttributeView.Attributes(inode(path, follows((Object[]) options))));
    }

    /** This program's account stands for root. */
    @Override
    public Map<String, Object> readAttributes(Path path, String names, LinkOption... options)
            throws IOException {
        Owner owner = inode(path, follows((Object[]) options)).owner;
        Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        return Map.of("uid", owner.uid() == 0 ? self : owner.uid(), "gid", owner.gid());
    }

    @Override
    public void setAttribute(Path path, String name, Object value, LinkOption... options)
            throws IOException {
        CrashAttributeView view = view(() -> inode(path, follows((Object[]) options)));
        var account = new CrashFileSystem.Account((Integer) value);
        switch (name) {
            case "unix:uid" -> view.setOwner(account);
            case "unix:gid" -> view.setGroup(account);
            default -> throw new UnsupportedOperationException(name);
        }
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        inode(path, true);
    }

    @Override
    public Path readSymbolicLink(Path link) throws IOException {
        return files.path(inode(link, false).target.orElseThrow());
    }

    @Override
    public boolean isSameFile(Path path, Path other) throws IOException {
        return inode(path, true).equals(inode(other, true));
    }

    @Override
    public boolean isHidden(Path path) {
        return path.getFileName().toString().startsWith(".");
    }

    @Override
    public String getScheme() {
        return "crash";
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> settings) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
        return files;
    }

    @Override
    public Path getPath(URI uri) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileStore getFileStore(Path path) {
        throw new UnsupportedOperationException();
    }
}
