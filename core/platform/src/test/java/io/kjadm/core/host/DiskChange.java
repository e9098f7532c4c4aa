package io.kjadm.core.host;

import io.kjadm.core.host.CrashDisk.Inode;

import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A change of a {@link CrashDisk} that a power cut loses or keeps, or half keeps. */
sealed interface DiskChange {

    /** Whose sync makes it stay. */
    Set<Integer> inodes();

    /** What changes one after another. */
    Set<String> keys();

    void apply(List<Inode> inodes);

    /** A name in a directory comes to be, leads elsewhere or goes. */
    record Name(int directory, String name, Optional<Integer> inode) implements DiskChange {

        @Override
        public Set<Integer> inodes() {
            return Set.of(directory);
        }

        @Override
        public Set<String> keys() {
            return Set.of(directory + "/" + name);
        }

        @Override
        public void apply(List<Inode> inodes) {
            Map<String, Integer> names = inodes.get(directory).names();
            inode.ifPresentOrElse(to -> names.put(name, to), () -> names.remove(name));
        }
    }

    /** A name goes and another one comes, as one. */
    record Rename(int from, String name, int to, String newName) implements DiskChange {

        @Override
        public Set<Integer> inodes() {
            return new HashSet<>(List.of(from, to));
        }

        @Override
        public Set<String> keys() {
            return new HashSet<>(List.of(from + "/" + name, to + "/" + newName));
        }

        @Override
        public void apply(List<Inode> inodes) {
            int moved = inodes.get(from).names().remove(name);
            inodes.get(to).names().put(newName, moved);
        }
    }

    /** The bytes of a file. */
    record Bytes(int file, byte[] before, byte[] after) implements DiskChange {

        @Override
        public Set<Integer> inodes() {
            return Set.of(file);
        }

        @Override
        public Set<String> keys() {
            return Set.of(file + " bytes");
        }

        @Override
        public void apply(List<Inode> inodes) {
            inodes.get(file).content = after;
        }

        Bytes as(Torn torn) {
            if (after.length <= before.length) {
                return this;
            }
            int half = (before.length + after.length) / 2;
            byte[] part = Arrays.copyOf(after, torn == Torn.HALF ? half : after.length);
            if (torn == Torn.ZEROS) {
                Arrays.fill(part, before.length, part.length, (byte) 0);
            }
            return new Bytes(file, before, part);
        }
    }

    /** How bytes that were added may be kept in part. */
    enum Torn {
        HALF,
        ZEROS
    }

    /** Owner and mode. */
    record Facts(int inode, Owner owner, Set<PosixFilePermission> mode) implements DiskChange {

        @Override
        public Set<Integer> inodes() {
            return Set.of(inode);
        }

        @Override
        public Set<String> keys() {
            return Set.of(inode + " facts");
        }

        @Override
        public void apply(List<Inode> inodes) {
            inodes.get(inode).owner = owner;
            inodes.get(inode).mode = mode;
        }
    }
}
