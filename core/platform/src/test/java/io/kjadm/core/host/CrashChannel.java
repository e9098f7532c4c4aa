package io.kjadm.core.host;

import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;

/** An open file or directory of a {@link CrashDisk}. */
final class CrashChannel extends FileChannel {

    private final CrashDisk disk;
    private final CrashDisk.Inode inode;
    private int position;

    CrashChannel(CrashDisk disk, CrashDisk.Inode inode) {
        this.disk = disk;
        this.inode = inode;
    }

    @Override
    public int read(ByteBuffer into) {
        if (position >= inode.content.length) {
            return -1;
        }
        int count = Math.min(into.remaining(), inode.content.length - position);
        into.put(inode.content, position, count);
        position += count;
        return count;
    }

    @Override
    public int write(ByteBuffer from) {
        int count = from.remaining();
        byte[] content =
                Arrays.copyOf(inode.content, Math.max(inode.content.length, position + count));
        from.get(content, position, count);
        disk.fill(inode, content);
        position += count;
        return count;
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public FileChannel position(long newPosition) {
        position = (int) newPosition;
        return this;
    }

    @Override
    public long size() {
        return inode.content.length;
    }

    @Override
    public FileChannel truncate(long size) {
        disk.fill(inode, Arrays.copyOf(inode.content, (int) size));
        return this;
    }

    @Override
    public void force(boolean metaData) {
        disk.sync(inode);
    }

    @Override
    public FileLock tryLock(long from, long size, boolean shared) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileLock lock(long from, long size, boolean shared) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int read(ByteBuffer into, long at) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer from, long at) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long transferTo(long from, long count, WritableByteChannel target) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long at, long count) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long from, long size) {
        throw new UnsupportedOperationException();
    }

    @Override
    protected void implCloseChannel() {}
}
