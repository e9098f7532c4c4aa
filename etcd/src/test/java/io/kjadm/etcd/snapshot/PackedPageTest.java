package io.kjadm.etcd.snapshot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

class PackedPageTest {

    private static final byte[] NO_KEY = {};

    private static BoltPage leaf(int count, byte[] first, byte[] last) {
        return BoltPage.leaf(
                1,
                first,
                last,
                List.of(),
                new BoltPage.Entries(count, new Crc32cSum(-7, 1L << 33), true, Map.of()));
    }

    private static BoltPage packed(BoltPage page) {
        ByteBuffer bytes = ByteBuffer.allocate(1 << 20);
        PackedPage.write(page, bytes);
        BoltPage back = PackedPage.read(bytes.flip());
        assertFalse(bytes.hasRemaining(), "bytes are left over");
        return back;
    }

    private static void assertSame(BoltPage page, BoltPage back) {
        assertEquals(page.pages(), back.pages());
        assertEquals(page.fault(), back.fault());
        assertArrayEquals(page.first(), back.first());
        assertArrayEquals(page.last(), back.last());
        assertArrayEquals(page.branch().keys(), back.branch().keys());
        assertArrayEquals(page.branch().children(), back.branch().children());
        assertEquals(page.entries(), back.entries());
    }

    @Test
    void aLeafComesBackAsItWas() {
        BoltPage page = leaf(7, StoredRevision.key(812_044, 0), StoredRevision.key(812_046, 3));

        assertSame(page, packed(page));
    }

    @Test
    void aLeafWithoutEntriesComesBackAsItWas() {
        BoltPage page = leaf(0, NO_KEY, NO_KEY);

        assertSame(page, packed(page));
    }

    @Test
    void keysOfAnyBytesComeBackAsTheyWere() {
        SplittableRandom random = new SplittableRandom(7);
        for (int run = 0; run < 2000; run++) {
            byte[][] keys = new byte[1 + random.nextInt(5)][];
            long[] children = new long[keys.length];
            for (int i = 0; i < keys.length; i++) {
                // of two values, so that many share how they begin and how they end
                keys[i] = new byte[random.nextInt(20)];
                for (int at = 0; at < keys[i].length; at++) {
                    keys[i][at] = (byte) -random.nextInt(2);
                }
                children[i] = random.nextLong();
            }
            BoltPage branch = BoltPage.branch(1 + random.nextInt(300), keys, children);
            assertSame(branch, packed(branch));
            BoltPage leaf = leaf(random.nextInt(), keys[0], keys[keys.length - 1]);
            assertSame(leaf, packed(leaf));
        }
    }

    @Test
    void whatIsWrongWithAPageComesBack() {
        for (BoltPage.Fault fault : BoltPage.Fault.values()) {
            BoltPage page = BoltPage.faulty(3, fault);

            assertSame(page, packed(page));
        }
    }

    @Test
    void theChildrenOfABranchComeBackWithoutItsKeys() {
        BoltPage page =
                BoltPage.bareBranch(1, new long[] {7, 6, 900, Integer.MAX_VALUE, 0, 1L << 40});

        assertSame(page, packed(page));
    }

    @Test
    void aLeafOfRevisionsTakesFewBytes() {
        ByteBuffer bytes = ByteBuffer.allocate(100);

        PackedPage.write(
                leaf(40, StoredRevision.key(5_812_044, 0), StoredRevision.key(5_812_084, 0)),
                bytes);

        assertTrue(bytes.position() <= 28, bytes.position() + " bytes");
    }

    @Test
    void whatDoesNotFitIsRefused() {
        assertThrows(
                BufferOverflowException.class,
                () -> PackedPage.write(
                        leaf(1, new byte[] {1, 2, 3}, new byte[] {1, 2, 4}),
                        ByteBuffer.allocate(12)));
    }
}
