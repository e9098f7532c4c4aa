package io.kjadm.etcd.snapshot;

import io.kjadm.etcd.snapshot.BoltPage.Bucket;
import io.kjadm.etcd.snapshot.BoltPage.Entries;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The tree of buckets in etcd's database: every page that it leads to is there, belongs to it once
 * and lies in order, as bbolt's own {@code check} has it.
 */
final class BoltTree {

    private static final String KEYS = "key";
    private static final String META = "meta";
    /** Far more than a file can have. */
    private static final int DEEPEST = 32;

    private final BoltMeta meta;
    private final PageTable pages;
    private final BitSet seen = new BitSet();
    private List<String> members = List.of();

    BoltTree(BoltMeta meta, PageTable pages) {
        this.meta = meta;
        this.pages = pages;
    }

    /** What the pages of one bucket add up to. */
    private static final class Total {

        private long count;
        private Crc32cSum sum = Crc32cSum.OF_NOTHING;
        private boolean revisions = true;
        private byte[] last = BoltPage.NONE;
        private final Map<String, byte[]> known = new HashMap<>();

        /** In their order, which is looked at here if a branch above did not keep its keys. */
        void add(BoltPage leaf) {
            Entries entries = leaf.entries();
            if (count > 0 && entries.count() > 0 && !KeyHead.isBefore(last, leaf.first())) {
                throw new DamagedSnapshotException("its keys are not in order from leaf to leaf");
            }
            count += entries.count();
            sum = sum.then(entries.sum());
            revisions &= entries.revisions();
            known.putAll(entries.known());
            last = entries.count() > 0 ? leaf.last() : last;
        }
    }

    /** Where keys have to be: from the one on, and before the other. */
    private record Range(byte[] from, Optional<byte[]> before) {

        static final Range ALL = new Range(new byte[0], Optional.empty());

        boolean has(BoltPage page) {
            // of a page without keys, those below it are looked at
            if (page.first().length == 0) {
                return true;
            }
            return KeyHead.isNotAfter(from, page.first())
                    && before.filter(end -> !KeyHead.isBefore(page.last(), end)).isEmpty();
        }

        /** That of a child, which is all of this if the branch did not keep its keys. */
        Range of(BoltPage page, int child) {
            byte[][] keys = page.branch().keys();
            if (keys.length == 0) {
                return this;
            }
            return new Range(
                    keys[child], child + 1 < keys.length ? Optional.of(keys[child + 1]) : before);
        }
    }

    /**
     * Walks through all of it.
     *
     * @param size bytes of the database
     * @throws DamagedSnapshotException if it is damaged
     */
    SnapshotContent content(long size) {
        List<Bucket> buckets = new ArrayList<>();
        walk(meta.root(), Range.ALL, 0, leaf -> {
            if (leaf.entries().count() > 0) {
                throw new DamagedSnapshotException("it has entries outside of all buckets");
            }
            buckets.addAll(leaf.buckets());
        });
        Map<String, Total> totals = new HashMap<>();
        Crc32cSum sum = Crc32cSum.OF_NOTHING;
        long entries = 0;
        for (Bucket bucket : buckets) {
            Total total = total(bucket);
            totals.put(name(bucket), total);
            sum = sum.then(sumOf(bucket.name())).then(total.sum);
            entries += total.count;
        }
        StoredFacts facts = new StoredFacts(require(totals, META).known);
        members = StoredMembers.of(Optional.ofNullable(totals.get(StoredMembers.BUCKET))
                // a part of the list would be worse than none
                .filter(all -> all.known.size() == all.count)
                .map(all -> all.known)
                .orElse(Map.of()));
        Total keys = require(totals, KEYS);
        if (!keys.revisions) {
            throw new DamagedSnapshotException("bucket key has entries that are no revisions");
        }
        return new SnapshotContent(
                Math.max(
                        keys.count > 0 ? StoredRevision.main(keys.last, 0) : 1,
                        facts.compactRevision()),
                facts.compactRevision(),
                new SnapshotContent.Total(entries, sum.sum()),
                size,
                new SnapshotContent.AppliedEntry(facts.consistentIndex(), facts.term()),
                facts.storageVersion(),
                buckets.stream().map(BoltTree::name).toList());
    }

    /** The members that it lists, once its {@link #content} was walked through. */
    List<String> members() {
        return members;
    }

    private static String name(Bucket bucket) {
        return new String(bucket.name(), StandardCharsets.UTF_8);
    }

    private static Total require(Map<String, Total> totals, String bucket) {
        return Optional.ofNullable(totals.get(bucket))
                .orElseThrow(() -> new DamagedSnapshotException(
                        "it has no bucket %s, which every etcd has".formatted(bucket)));
    }

    private static Crc32cSum sumOf(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return new Crc32cSum((int) crc.getValue(), bytes.length);
    }

    private Total total(Bucket bucket) {
        Total total = new Total();
        if (bucket.inline().isPresent()) {
            add(total, bucket, intact(bucket.inline().get(), "that of bucket " + name(bucket)));
        } else {
            walk(bucket.root(), Range.ALL, 0, leaf -> add(total, bucket, leaf));
        }
        return total;
    }

    private static void add(Total total, Bucket bucket, BoltPage leaf) {
        if (!leaf.buckets().isEmpty()) {
            throw new DamagedSnapshotException(
                    "bucket %s has buckets, which etcd never makes".formatted(name(bucket)));
        }
        total.add(leaf);
    }

    private interface Leaves {
        void accept(BoltPage leaf);
    }

    private void walk(long number, Range range, int depth, Leaves leaves) {
        BoltPage page = page(number);
        if (depth > DEEPEST) {
            throw new DamagedSnapshotException("its tree has no end at page " + number);
        }
        if (!range.has(page)) {
            throw new DamagedSnapshotException(
                    "page %d has keys that belong elsewhere".formatted(number));
        }
        if (page.isLeaf()) {
            leaves.accept(page);
            return;
        }
        long[] children = page.branch().children();
        for (int i = 0; i < children.length; i++) {
            walk(children[i], range.of(page, i), depth + 1, leaves);
        }
    }

    /** Each is taken once: a second way to it would be a tree grown together. */
    private BoltPage page(long number) {
        BoltPage page = pages.page(number)
                .filter(_ -> number < meta.highWater())
                .map(found -> intact(found, Long.toString(number)))
                .orElseThrow(() -> new DamagedSnapshotException(
                        "page %d is not there, or has no place in a tree".formatted(number)));
        long end = number + page.pages();
        int used = seen.nextSetBit((int) number);
        if (end > meta.highWater() || used >= 0 && used < end) {
            throw new DamagedSnapshotException("page %d is used twice".formatted(number));
        }
        seen.set((int) number, (int) end);
        return page;
    }

    private static BoltPage intact(BoltPage page, String which) {
        if (page.isFaulty()) {
            throw new DamagedSnapshotException(
                    "page %s is damaged: %s".formatted(which, page.fault().text()));
        }
        return page;
    }
}
