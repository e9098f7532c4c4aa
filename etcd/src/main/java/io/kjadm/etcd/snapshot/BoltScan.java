package io.kjadm.etcd.snapshot;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * Reads etcd's database as its bytes go by, once and in their order. A page that is free holds
 * what it held before, so every page that could be part of the tree is noted, and which are is
 * known at the end. A page that overflows is kept until its last byte came; two that overlap are
 * noted both, as one of them is left from an earlier time.
 */
final class BoltScan {

    /** So many bytes of one entry: etcd takes 1.5 MiB unless it is told otherwise. */
    private static final int LONGEST_RUN = 64 * 1024 * 1024;

    private final List<Run> open = new ArrayList<>();
    private final List<BoltMeta> metas = new ArrayList<>();
    private final PageTable pages = new PageTable();
    private byte[] window = new byte[BoltMeta.HEAD_BYTES];
    private int filled;
    private long windowPage;
    private int number;
    private int pageSize;
    private boolean foreign;

    /** Pages that were begun and have not come whole. */
    private record Run(int page, int count) {}

    /** Takes the next bytes. */
    void accept(byte[] bytes, int offset, int length) {
        int at = offset;
        int end = offset + length;
        while (at < end && !foreign) {
            int taken = Math.min(end - at, missing());
            reserve(filled + taken);
            System.arraycopy(bytes, at, window, filled, taken);
            filled += taken;
            at += taken;
            if (missing() == 0) {
                advance();
            }
        }
    }

    /** Bytes to the end of the page, or of the file's head while the size of pages is not known. */
    private int missing() {
        return pageSize == 0
                ? BoltMeta.HEAD_BYTES - filled
                : (int) ((number - windowPage + 1) * pageSize - filled);
    }

    private void reserve(int bytes) {
        if (window.length < bytes) {
            window = Arrays.copyOf(window, Math.max(bytes, window.length * 2));
        }
    }

    private void advance() {
        if (pageSize == 0) {
            Optional<Integer> told = BoltMeta.pageSize(window);
            told.ifPresent(size -> pageSize = size);
            foreign = told.isEmpty();
            return;
        }
        takePage();
        number++;
        if (open.isEmpty()) {
            filled = 0;
            windowPage = number;
        }
    }

    private void takePage() {
        int at = (int) ((number - windowPage) * pageSize);
        if (number < 2) {
            BoltMeta.read(window, at).ifPresent(metas::add);
            return;
        }
        ByteBuffer header =
                ByteBuffer.wrap(window, at, pageSize).slice().order(ByteOrder.LITTLE_ENDIAN);
        if (BoltPage.begins(header, number)) {
            long count = 1 + BoltPage.overflow(header);
            if (count * pageSize <= LONGEST_RUN) {
                open.add(new Run(number, (int) count));
            }
        }
        for (Iterator<Run> runs = open.iterator(); runs.hasNext(); ) {
            Run run = runs.next();
            if (run.page + run.count - 1 == number) {
                note(run);
                runs.remove();
            }
        }
    }

    private void note(Run run) {
        int at = (int) ((run.page - windowPage) * pageSize);
        pages.note(run.page, ByteBuffer.wrap(window, at, run.count * pageSize).slice(), run.count);
    }

    /**
     * Ends the scan.
     *
     * @param size bytes of the database
     * @return the tree that all of it makes
     * @throws DamagedSnapshotException if there is none, with the reason
     */
    BoltTree end(long size) {
        if (foreign || pageSize == 0) {
            throw new DamagedSnapshotException("it does not begin as a database of etcd does");
        }
        if (metas.size() < 2) {
            throw new DamagedSnapshotException(
                    number < 2
                            ? "it ends within its first two pages"
                            : "one of its two meta pages is damaged");
        }
        BoltMeta meta = metas.get(0).transaction() > metas.get(1).transaction()
                ? metas.get(0)
                : metas.get(1);
        long needed = meta.highWater() * pageSize;
        if (needed > size) {
            throw new DamagedSnapshotException(
                    "it has %d bytes and needs %d".formatted(size, needed));
        }
        return new BoltTree(meta, pages);
    }
}
