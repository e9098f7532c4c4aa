package io.kjadm.etcd.snapshot;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.zip.CRC32C;

/**
 * Reads etcd's database as its bytes go by, once and in their order. A page that is free holds what
 * it held before, and a value may hold what looks like pages, so every page that could be part of
 * the tree is noted in few bytes, and which are is known at the end. No more than one page is kept
 * as it is: of one that overflows what is needed is read as its parts go by. Two that overlap are
 * noted both, as one of them is left from an earlier time.
 */
final class BoltScan {

    /** So many bytes of one entry: etcd takes 1.5 MiB unless it is told otherwise. */
    private static final int LONGEST_RUN = 64 * 1024 * 1024;

    /** Pages that overflow, by when each has to see its next part. */
    private final PriorityQueue<LongPage> open =
            new PriorityQueue<>(Comparator.comparingInt(page -> page.due(pageSize())));

    /** For values of pages that are not complete: those of four members, many times over. */
    private final LongPage.Room room = new LongPage.Room(1 << 20);

    private final List<BoltMeta> metas = new ArrayList<>();
    private final PageTable pages = new PageTable();
    /** Over all pages since one that overflows was there. */
    private final CRC32C passed = new CRC32C();

    private long passedBytes;
    private byte[] part = new byte[BoltMeta.HEAD_BYTES];
    private int filled;
    private int number;
    private int pageSize;
    private boolean foreign;

    private int pageSize() {
        return pageSize;
    }

    /** Takes the next bytes. */
    void accept(byte[] bytes, int offset, int length) {
        int at = offset;
        int end = offset + length;
        while (at < end && !foreign) {
            if (filled == 0 && pageSize > 0 && end - at >= pageSize) {
                take(bytes, at);
                at += pageSize;
                continue;
            }
            int taken = Math.min(end - at, part.length - filled);
            System.arraycopy(bytes, at, part, filled, taken);
            filled += taken;
            at += taken;
            if (filled == part.length) {
                takePart();
            }
        }
    }

    private void takePart() {
        if (pageSize > 0) {
            take(part, 0);
            filled = 0;
            return;
        }
        Optional<Integer> told = BoltMeta.pageSize(part);
        foreign = told.isEmpty();
        told.ifPresent(size -> {
            byte[] page = new byte[size];
            System.arraycopy(part, 0, page, 0, filled);
            part = page;
            pageSize = size;
        });
    }

    private void take(byte[] bytes, int at) {
        if (number < 2) {
            BoltMeta.read(bytes, at).ifPresent(metas::add);
            meta().ifPresent(meta -> pages.root(meta.root()));
        } else {
            takeOpen(bytes, at);
            begin(bytes, at);
        }
        number++;
    }

    private void takeOpen(byte[] bytes, int at) {
        if (open.isEmpty()) {
            return;
        }
        Crc32cSum before = passed();
        while (!open.isEmpty() && open.peek().due(pageSize) == number) {
            LongPage page = open.remove();
            page.accept(number, bytes, at, pageSize, before);
            keep(page);
        }
        passed.update(bytes, at, pageSize);
        passedBytes += pageSize;
    }

    private Crc32cSum passed() {
        return new Crc32cSum((int) passed.getValue(), passedBytes);
    }

    private void begin(byte[] bytes, int at) {
        if (!BoltPage.begins(bytes, at, number)) {
            return;
        }
        long count = 1 + BoltPage.overflow(bytes, at);
        if (count == 1) {
            pages.note(number, ShortPage.read(bytes, at, pageSize), pageSize);
        } else if (count * pageSize <= LONGEST_RUN) {
            LongPage page = LongPage.begin(number, bytes, at, pageSize, room);
            if (open.isEmpty()) {
                passed.reset();
                passedBytes = 0;
            }
            page.upToSecond(passed());
            keep(page);
        }
    }

    private void keep(LongPage page) {
        if (page.isComplete()) {
            room.leave(page);
            pages.note(page.number(), page.page(), pageSize);
        } else {
            open.add(page);
        }
    }

    /** The one that counts; empty if one of them is damaged or did not come yet. */
    private Optional<BoltMeta> meta() {
        return metas.size() < 2
                ? Optional.empty()
                : metas.stream().max(Comparator.comparingLong(BoltMeta::transaction));
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
        BoltMeta meta = meta().orElseThrow(() -> new DamagedSnapshotException(
                number < 2
                        ? "it ends within its first two pages"
                        : "one of its two meta pages is damaged"));
        if (meta.pageSize() != pageSize) {
            throw new DamagedSnapshotException("its two meta pages name different page sizes");
        }
        // a damaged page may tell of any number
        BigInteger needed = new BigInteger(Long.toUnsignedString(meta.highWater()))
                .multiply(BigInteger.valueOf(pageSize));
        if (needed.compareTo(BigInteger.valueOf(size)) > 0) {
            throw new DamagedSnapshotException(
                    "it has %d bytes and needs %s".formatted(size, needed));
        }
        return new BoltTree(meta, pages);
    }
}
