package io.kjadm.core.host;

import io.kjadm.core.host.CrashDisk.Inode;

import java.io.IOException;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;

/** Owner, mode and kind of what is on a {@link CrashDisk}. */
final class CrashAttributeView implements PosixFileAttributeView {

    /** Finds what the view is of. */
    interface Finder {

        Inode find() throws IOException;
    }

    private final CrashDisk disk;
    private final Finder finder;

    CrashAttributeView(CrashDisk disk, Finder finder) {
        this.disk = disk;
        this.finder = finder;
    }

    @Override
    public String name() {
        return "posix";
    }

    @Override
    public PosixFileAttributes readAttributes() throws IOException {
        return new Attributes(finder.find());
    }

    @Override
    public UserPrincipal getOwner() throws IOException {
        return readAttributes().owner();
    }

    @Override
    public void setOwner(UserPrincipal owner) throws IOException {
        Inode inode = finder.find();
        int uid = ((CrashFileSystem.Account) owner).number();
        disk.facts(inode, new Owner(uid, inode.owner.gid()), inode.mode);
    }

    @Override
    public void setGroup(GroupPrincipal group) throws IOException {
        Inode inode = finder.find();
        int gid = ((CrashFileSystem.Account) group).number();
        disk.facts(inode, new Owner(inode.owner.uid(), gid), inode.mode);
    }

    @Override
    public void setPermissions(Set<PosixFilePermission> mode) throws IOException {
        Inode inode = finder.find();
        disk.facts(inode, inode.owner, Set.copyOf(mode));
    }

    @Override
    public void setTimes(FileTime modified, FileTime accessed, FileTime created) {
        throw new UnsupportedOperationException();
    }

    record Attributes(Inode inode) implements PosixFileAttributes {

        @Override
        public UserPrincipal owner() {
            return new CrashFileSystem.Account(inode.owner.uid());
        }

        @Override
        public GroupPrincipal group() {
            return new CrashFileSystem.Account(inode.owner.gid());
        }

        @Override
        public Set<PosixFilePermission> permissions() {
            return inode.mode;
        }

        @Override
        public boolean isRegularFile() {
            return inode.file();
        }

        @Override
        public boolean isDirectory() {
            return inode.directory();
        }

        @Override
        public boolean isSymbolicLink() {
            return inode.target.isPresent();
        }

        @Override
        public boolean isOther() {
            return false;
        }

        @Override
        public long size() {
            return inode.content.length;
        }

        @Override
        public Object fileKey() {
            return inode.number;
        }

        @Override
        public FileTime lastModifiedTime() {
            return FileTime.fromMillis(0);
        }

        @Override
        public FileTime lastAccessTime() {
            return lastModifiedTime();
        }

        @Override
        public FileTime creationTime() {
            return lastModifiedTime();
        }
    }
}
