package io.kjadm.etcd.snapshot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SnapshotBytes;
import io.kjadm.etcd.snapshot.SnapshotVerifier.Verdict;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

class SnapshotVerifierTest {

    private static final int PAGE = SnapshotBytes.PAGE;
    /** Of the snapshot's bits; {@code -Dkjadm.flips=10000} before a release. */
    private static final int FLIPS = Integer.getInteger("kjadm.flips", 1_000);

    private final byte[] whole = SnapshotBytes.ofRevisions(400);
    private final ByteArrayOutputStream to = new ByteArrayOutputStream();

    private static SnapshotVerifier pass(byte[] bytes, int part, OutputStream to)
            throws IOException {
        SnapshotVerifier checked = new SnapshotVerifier(to);
        for (int at = 0; at < bytes.length; at += part) {
            checked.write(bytes, at, Math.min(part, bytes.length - at));
        }
        return checked;
    }

    private static Verdict verdict(byte[] bytes) throws IOException {
        return pass(bytes, 3000, OutputStream.nullOutputStream()).verdict();
    }

    private static SnapshotContent content(byte[] bytes) throws IOException {
        return assertInstanceOf(Verdict.Whole.class, verdict(bytes)).content();
    }

    private static String damage(byte[] bytes) throws IOException {
        return assertInstanceOf(Verdict.Damaged.class, verdict(bytes)).why();
    }

    /** Without a sum behind it, only the tree tells. */
    private static byte[] database(byte[] snapshot) {
        return Arrays.copyOf(snapshot, snapshot.length - 32);
    }

    /** One that real etcd has sent. */
    private static byte[] ofEtcd(String version) throws IOException {
        try (var packed = new GZIPInputStream(SnapshotVerifierTest.class.getResourceAsStream(
                "etcd-%s.db.gz".formatted(version)))) {
            return packed.readAllBytes();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 31, 32, 33, 4096, 50_000})
    void aWholeSnapshotIsPassedOnInPartsOfAnySize(int part) throws IOException {
        SnapshotVerifier checked = pass(whole, part, to);

        SnapshotContent content =
                assertInstanceOf(Verdict.Whole.class, checked.verdict()).content();
        assertEquals(401, content.revision());
        assertEquals(401, content.total().entries());
        assertEquals(9, content.raft().index());
        assertEquals(whole.length, checked.size());
        assertArrayEquals(whole, to.toByteArray());
    }

    @Test
    void oneByteIsPassedOnToo() throws IOException {
        SnapshotVerifier checked = new SnapshotVerifier(to);
        for (byte one : whole) {
            checked.write(one);
        }
        assertInstanceOf(Verdict.Whole.class, checked.verdict());
    }

    /**
     * What etcd's own tool says of the same files ({@code etcdutl snapshot status}), but for the
     * number of entries in 3.6, which counts keys that are not deleted.
     */
    @ParameterizedTest
    @CsvSource({
        "3.5.30, 509651100, 157, 106, 90112, ''",
        "3.6.14, 2703481930, 157, 107, 86016, 3.6.0",
    })
    void itTellsOfASnapshotWhatEtcdsOwnToolTells(
            String version, long hash, long revision, long keys, long size, String storage)
            throws IOException {
        SnapshotContent content = content(ofEtcd(version));

        assertEquals(hash, Integer.toUnsignedLong(content.total().hash()));
        assertEquals(revision, content.revision());
        assertEquals(keys, content.total().entries());
        assertEquals(size, content.databaseBytes());
        assertEquals(100, content.compactRevision());
        assertEquals(
                Optional.of(storage).filter(text -> !text.isEmpty()).map(EtcdVersion::parse),
                content.storageVersion());
        assertTrue(content.raft().index() > 150 && content.raft().term() == 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.5.30", "3.6.14"})
    void aMembersFileIsOneWithoutASum(String version) throws IOException {
        byte[] snapshot = ofEtcd(version);

        var file = assertInstanceOf(Verdict.Whole.class, verdict(database(snapshot)));

        assertEquals(content(snapshot), file.content());
        assertEquals(false, file.summed());
    }

    /** {@code etcdutl snapshot restore --bump-revision} leaves a revision without any value. */
    @Test
    void aRevisionThatWasRaisedIsNoDamage() throws IOException {
        var whole = assertInstanceOf(Verdict.Whole.class, verdict(SnapshotBytes.restored(60)));

        assertEquals(61 + SnapshotBytes.RAISED_BY, whole.content().revision());
    }

    @Test
    void aBitThatIsFlippedAnywhereIsFound() throws IOException {
        byte[] snapshot = ofEtcd("3.5.30");
        SplittableRandom random = new SplittableRandom(14);
        for (int i = 0; i < FLIPS; i++) {
            int bit = random.nextInt(snapshot.length * 8);
            snapshot[bit / 8] ^= (byte) (1 << bit % 8);
            assertInstanceOf(Verdict.Damaged.class, verdict(snapshot), "bit " + bit);
            snapshot[bit / 8] ^= (byte) (1 << bit % 8);
        }
    }

    /** Bytes that a sum was made of after they were damaged: no input makes it fail otherwise. */
    @Test
    void whateverIsWrongInADatabaseIsToldAsDamage() throws IOException {
        byte[] file = database(ofEtcd("3.6.14"));
        SplittableRandom random = new SplittableRandom(15);
        int found = 0;
        for (int i = 0; i < 2_000; i++) {
            byte[] bent = file.clone();
            for (int flips = 0; flips < 20; flips++) {
                bent[random.nextInt(bent.length)] = (byte) random.nextInt();
            }
            found += verdict(SnapshotBytes.summed(bent)) instanceof Verdict.Damaged ? 1 : 0;
        }
        assertTrue(found > 500, "found " + found);
    }

    @Test
    void aValueOfSeveralPagesIsOne() throws IOException {
        byte[] value = new byte[3 * PAGE];
        // what lies in it may look like a page of the tree
        byte[] leaf = Arrays.copyOfRange(SnapshotBytes.ofRevisions(1), 2 * PAGE, 3 * PAGE);
        leaf[0] = 5;
        System.arraycopy(leaf, 0, value, PAGE - 100, PAGE);

        assertEquals(2, content(SnapshotBytes.withValue(value)).revision());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 31, 4096 + 31, 5000})
    void anEarlyEndIsInTheMiddleOfAPage(int bytes) throws IOException {
        assertEquals(
                "it ends after %d bytes, in the middle of a page".formatted(bytes),
                damage(Arrays.copyOf(whole, bytes)));
    }

    @ParameterizedTest
    @ValueSource(ints = {32, 4096 + 32})
    void anEarlyEndThatLooksLikeOneIsFoundByTheSum(int bytes) throws IOException {
        assertEquals(
                "the SHA-256 at its end is not that of its %d bytes".formatted(bytes - 32),
                damage(Arrays.copyOf(whole, bytes)));
    }

    @Test
    void aFileThatLostItsEndIsFoundWithoutASum() throws IOException {
        byte[] file = database(whole);

        assertEquals(
                "it has %d bytes and needs %d".formatted(file.length - PAGE, file.length),
                damage(Arrays.copyOf(file, file.length - PAGE)));
    }

    /** So many pages that their bytes are 0, or few, in 64 bits. */
    @ParameterizedTest
    @ValueSource(longs = {1L << 52, (1L << 52) + 1, 1L << 63, -1})
    void aFileThatTellsOfMorePagesThanCanBeIsFound(long pages) throws IOException {
        byte[] few = SnapshotBytes.database(1, 0);
        long own = few.length / PAGE;

        assertTrue(
                damage(SnapshotBytes.database(1, pages - own))
                        .startsWith("it has %d bytes and needs ".formatted(few.length)),
                Long.toHexString(pages));
    }

    @Test
    void whatIsNoDatabaseIsFound() throws IOException {
        assertEquals(
                "it does not begin as a database of etcd does",
                damage(SnapshotBytes.summed(new byte[3 * PAGE])));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aDamagedMetaPageIsFound(int page) throws IOException {
        byte[] file = database(whole);
        file[page * PAGE + 16 + 48] ^= 1;
        assertEquals("one of its two meta pages is damaged", damage(file));
    }

    @Test
    void oneThatEndsBeforeItsSecondPageIsFound() throws IOException {
        assertEquals(
                "it ends within its first two pages",
                damage(SnapshotBytes.summed(Arrays.copyOf(whole, PAGE))));
    }

    /** The pages of keys begin at 3; each has 50. */
    @Test
    void keysOutOfOrderAreFound() throws IOException {
        byte[] file = database(whole);
        // the number of the first revision in the second leaf
        int key = 4 * PAGE + 16 + 50 * 16 + 7;
        file[key] = 1;
        assertEquals("page 4 has keys that belong elsewhere", damage(file));
    }

    @Test
    void aPageThatSaysAnotherNumberIsNotThere() throws IOException {
        byte[] file = database(whole);
        file[4 * PAGE] = 9;
        assertEquals("page 4 is not there, or has no place in a tree", damage(file));
    }

    @Test
    void aPageThatIsUsedTwiceIsFound() throws IOException {
        byte[] file = database(whole);
        // the second child of the branch behind the eight leaves becomes the first
        int branch = 11 * PAGE + 16 + 16 + 8;
        file[branch] = 3;
        assertEquals("page 3 is used twice", damage(file));
    }

    @Test
    void aValueThatTellsAnotherRevisionIsFound() throws IOException {
        byte[] file = database(SnapshotBytes.ofRevisions(1));
        int value = 3 * PAGE + 16 + 16 + 17;
        file[value + 4] = 77;
        assertEquals("bucket key has entries that are no revisions", damage(file));
    }

    private static Member member(int number, int urls) {
        return new Member(
                new MemberId(0x8e9e05c52164690dL + number),
                "node" + number,
                Stream.generate(() ->
                                URI.create("https://node%d.example.com:2380".formatted(number)))
                        .limit(urls)
                        .toList(),
                List.of(),
                false);
    }

    private static List<String> members(byte[] database) throws IOException {
        SnapshotVerifier verifier = pass(database, 3000, OutputStream.nullOutputStream());
        assertInstanceOf(Verdict.Whole.class, verifier.verdict());
        return verifier.members();
    }

    /** With one URL they lie within the leaf of buckets, with ten in a page, with the others not. */
    @ParameterizedTest
    @ValueSource(ints = {1, 10, 50, 120, 400})
    void itListsTheMembersHoweverLongTheyAre(int urls) throws IOException {
        List<Member> listed = List.of(member(1, urls), member(2, urls), member(3, 1));

        assertEquals(
                listed.stream().map(SnapshotBytes::stored).toList(),
                members(SnapshotBytes.listing(listed)));
    }

    @Test
    void aPartOfTheMembersIsNoListOfThem() throws IOException {
        // longer than any member's entry that is kept
        assertEquals(
                List.of(),
                members(SnapshotBytes.listing(
                        List.of(member(1, 1), member(2, 600), member(3, 1)))));
    }
}
