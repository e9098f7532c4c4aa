package io.kjadm.core.snapshot;

import static io.kjadm.core.error.Reasons.assertReason;
import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.exceptionfactory.jagged.x25519.X25519KeyPairGenerator;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.snapshot.SnapshotCatalog.Entry;
import io.kjadm.core.snapshot.Verification.Level;
import io.kjadm.core.snapshot.sign.SignatureState;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SnapshotBytes;
import io.kjadm.etcd.check.HealthRules;
import io.kjadm.store.MemoryStore;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.StoreException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/** Snapshots of a simulated cluster of three in a store in memory. */
class SnapshotTest {

    private final SimulatedCluster etcd = SimulatedCluster.ofVoters(3, "3.6.14");
    private final MemoryStore store = new MemoryStore();
    private final SnapshotCatalog catalog = new SnapshotCatalog(store);
    private final VirtualWaiter clock = new VirtualWaiter();
    private final RecordingReporter out = new RecordingReporter();
    private final SnapshotSave save =
            new SnapshotSave(etcd, catalog, clock, new SplittableRandom(1), out);

    private SnapshotManifest take(SnapshotEncoding encoding) {
        return save.save(save.choose(EtcdHealth.ask(etcd)), encoding, Map.of("reason", "a test"));
    }

    private Verification check(SnapshotManifest manifest, Level level, String... identities) {
        return new SnapshotCheck(catalog, List.of(identities), clock, out).check(manifest, level);
    }

    private byte[] stored() {
        return store.objects.entrySet().stream()
                .filter(object -> object.getKey().endsWith("/data"))
                .findFirst()
                .orElseThrow()
                .getValue();
    }

    @Test
    void aSnapshotIsKeptAsItCameAndDescribed() {
        SnapshotManifest manifest = take(SnapshotEncoding.NONE);

        assertArrayEquals(SnapshotBytes.atRevision(102), stored());
        assertEquals(102, manifest.plain().content().revision());
        assertEquals(stored().length, manifest.stored().bytes());
        assertEquals(manifest.plain().sha256(), manifest.stored().sha256());
        assertEquals(Map.of("reason", "a test"), manifest.labels());
        assertEquals(3, manifest.hashes().size());
        assertEquals(manifest, catalog.find(SnapshotCatalog.LATEST));
        assertEquals(manifest, catalog.find(manifest.name().substring(0, 12)));
    }

    /** As of a user who may only read, or of a disk that was mounted so for a restore. */
    @Test
    void aStoreThatOnlyLetsReadKeepsNobodyFromTheResult() {
        SnapshotManifest good = take(SnapshotEncoding.NONE);
        ObjectStore readOnly = (ObjectStore) Proxy.newProxyInstance(
                ObjectStore.class.getClassLoader(),
                new Class<?>[] {ObjectStore.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("create")) {
                        throw new StoreException(
                                "cannot write " + arguments[0], "read-only file system");
                    }
                    return method.invoke(store, arguments);
                });
        SnapshotCheck check =
                new SnapshotCheck(new SnapshotCatalog(readOnly), List.of(), clock, out);

        assertTrue(check.check(good, Level.STRUCTURE).passed());

        assertEquals(1, out.warnings().size());
        stored()[100] ^= 1;
        assertFalse(check.check(good, Level.STRUCTURE).passed());
    }

    /** Nothing of it is left, and nobody looks. */
    @Test
    void whatTheStoreHasConfirmedIsNotReadAgainForItsSum() {
        store.confirms = true;
        SavedSnapshot saved = save.save(
                save.choose(EtcdHealth.ask(etcd)),
                new SnapshotSave.Terms(
                        SnapshotEncoding.NONE, Map.of(), List.of(), Optional.empty()));
        store.objects.keySet().removeIf(key -> key.endsWith("/data"));
        SnapshotCheck check = new SnapshotCheck(catalog, List.of(), clock, out);

        Verification told = check.check(saved, Level.SUM);

        assertEquals(
                "%d bytes, revision 102, by the checksum of the store"
                        .formatted(saved.manifest().plain().bytes()),
                told.result());
        assertEquals(Optional.of(told), catalog.entries().getFirst().standing());
        assertThrows(ClusterException.class, () -> check.check(saved, Level.STRUCTURE));
        assertThrows(
                ClusterException.class,
                () -> check.check(SavedSnapshot.before(saved.manifest()), Level.SUM));
    }

    @Test
    void whatTheStoreHasNotConfirmedIsRead() {
        SavedSnapshot saved = save.save(
                save.choose(EtcdHealth.ask(etcd)),
                new SnapshotSave.Terms(
                        SnapshotEncoding.NONE, Map.of(), List.of(), Optional.empty()));
        stored()[5] ^= 1;
        SnapshotCheck check = new SnapshotCheck(catalog, List.of(), clock, out);

        assertFalse(check.check(saved, Level.SUM).passed());
    }

    @Test
    void aFollowerIsAskedRatherThanTheLeader() {
        Member chosen = save.choose(EtcdHealth.ask(etcd)).member();
        assertFalse(chosen.id().equals(etcd.leader()), chosen::describe);
    }

    /** As a join accepts voters: further back a member holds an older state than the store has. */
    @Test
    void aMemberThatLagsIsNotAsked() {
        assertEquals(1, chosen(6000, 6000 - HealthRules.LAG_LIMIT - 1).value());
        assertEquals(2, chosen(6000, 6000 - HealthRules.LAG_LIMIT).value());
    }

    @Test
    void whereNoMemberIsUpToDateNoSnapshotIsTaken() {
        Member only = member(1);
        EtcdHealth health = new EtcdHealth(
                List.of(only), Map.of(only.id(), status(1, 9_000_000, 1_000)), Map.of());

        ClusterException refused = assertThrows(
                ClusterException.class, () -> SnapshotSource.choose(health, List.of()));

        assertEquals(
                "cp-1 has applied 8999000 entries less than were committed, 5000 are the limit",
                refused.why());
    }

    /** Who would be asked of a leader, member 1, that has applied everything, and a follower. */
    private static MemberId chosen(long leader, long follower) {
        EtcdHealth health = new EtcdHealth(
                List.of(member(1), member(2)),
                Map.of(
                        new MemberId(1), status(1, leader, leader),
                        new MemberId(2), status(2, follower, follower)),
                Map.of());
        return SnapshotSource.choose(health, List.of()).id();
    }

    private static Member member(int number) {
        URI url = URI.create("https://cp-%d:2380".formatted(number));
        return new Member(new MemberId(number), "cp-" + number, List.of(url), List.of(url), false);
    }

    private static MemberStatus status(int number, long committed, long applied) {
        return new MemberStatus(
                new MemberId(number),
                "c",
                new MemberId(1),
                MemberStatus.Versions.of(EtcdVersion.parse("3.6.8")),
                4096,
                3,
                committed,
                applied,
                false,
                List.of());
    }

    @Test
    void withoutAQuorumTheSnapshotIsTakenAndWarnedOf() {
        EtcdHealth before = EtcdHealth.ask(etcd);
        etcd.stop(etcd.id("cp-1"));
        etcd.stop(etcd.id("cp-2"));
        EtcdHealth health = EtcdHealth.ask(etcd, before.members());

        SnapshotManifest manifest = save.save(save.choose(health), SnapshotEncoding.NONE, Map.of());

        assertEquals("cp-3", manifest.origin().memberName());
        assertEquals(1, out.warnings().size(), out.warnings()::toString);
        assertEquals(
                2,
                manifest.hashes().stream().filter(hash -> hash.hash().isEmpty()).count());
    }

    @Test
    void aMemberThatHoldsSomethingElseIsWarnedOf() {
        take(SnapshotEncoding.NONE);
        assertEquals(List.of(), out.warnings());

        etcd.diverge(etcd.id("cp-1"));
        take(SnapshotEncoding.NONE);

        assertEquals(
                List.of(
                        "the etcd members hold different data at revision 102: one of them is corrupt. Compare 'etcdctl endpoint hashkv' of all, and replace the one that differs"),
                out.warnings());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100, 4096, 4 * 4096, 4 * 4096 + 31})
    void oneThatEndsEarlyIsNone(int bytes) {
        etcd.cutSnapshots(bytes);

        assertThrows(ClusterException.class, () -> take(SnapshotEncoding.NONE));

        assertEquals(Map.of(), store.objects);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsEncodedIsDecodedByItsRecipientsOnly(boolean gzip) throws Exception {
        KeyPair ours = new X25519KeyPairGenerator().generateKeyPair();
        KeyPair theirs = new X25519KeyPairGenerator().generateKeyPair();
        SnapshotEncoding encoding = new SnapshotEncoding(
                gzip, List.of(ours.getPublic().toString(), theirs.getPublic().toString()));
        encoding.check();

        SnapshotManifest manifest = take(encoding);

        assertTrue(new String(stored(), StandardCharsets.ISO_8859_1)
                .startsWith("age-encryption.org/v1\n"));
        for (KeyPair pair : List.of(ours, theirs)) {
            assertTrue(check(manifest, Level.STRUCTURE, secret(pair)).passed());
        }
        String stranger = secret(new X25519KeyPairGenerator().generateKeyPair());
        assertThrows(HostException.class, () -> check(manifest, Level.STRUCTURE, stranger));
        assertThrows(HostException.class, () -> check(manifest, Level.STRUCTURE));
        assertTrue(check(manifest, Level.SUM).passed());
    }

    private static String secret(KeyPair pair) {
        return pair.getPrivate().toString();
    }

    /** Who writes to a store may write one in plain that has all the sums it should have. */
    @Test
    void withAnIdentityNothingInPlainIsAccepted() throws Exception {
        String identity = secret(new X25519KeyPairGenerator().generateKeyPair());
        for (SnapshotEncoding plain :
                List.of(SnapshotEncoding.NONE, new SnapshotEncoding(true, List.of()))) {
            SnapshotManifest manifest = take(plain);
            for (Level level : List.of(Level.SUM, Level.STRUCTURE)) {
                assertReason(
                        CommonReason.NOT_ACCEPTED,
                        HostException.class,
                        () -> check(manifest, level, identity));
            }
            MemoryFiles files = new MemoryFiles();
            SnapshotReader reader = new SnapshotReader(catalog, List.of(identity), out);
            assertReason(
                    CommonReason.NOT_ACCEPTED,
                    HostException.class,
                    () -> reader.fetch(manifest, files, Path.of("/x.db")));
            assertEquals(List.of(), files.files());
        }
    }

    /** A part of a database holds Secrets, whatever has ended its writing. */
    @Test
    void anErrorWhileItIsFetchedLeavesNothing(@TempDir Path folder) {
        SnapshotManifest manifest = take(SnapshotEncoding.NONE);
        Path file = folder.resolve("snapshot.db");
        SnapshotReader reader = new SnapshotReader(
                _ -> new SequenceInputStream(
                        new ByteArrayInputStream(stored(), 0, 5000), new Exhausted()),
                List.of(),
                out);

        assertThrows(OutOfMemoryError.class, () -> reader.fetch(manifest, new DiskFiles(), file));

        assertFalse(Files.exists(file));
    }

    private static final class Exhausted extends InputStream {

        @Override
        public int read() {
            throw new OutOfMemoryError("in a test");
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            return read();
        }
    }

    /** A store may send bytes for ever, and gzip unpack to anything: they would fill the disk. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noMoreIsReadThanTheManifestTells(boolean fetched, @TempDir Path folder) {
        SnapshotManifest manifest = take(SnapshotEncoding.NONE);
        Endless rest = new Endless();
        String key = store.objects.keySet().stream()
                .filter(name -> name.endsWith("/data"))
                .findFirst()
                .orElseThrow();
        if (fetched) {
            SnapshotReader reader = new SnapshotReader(
                    _ -> new SequenceInputStream(new ByteArrayInputStream(stored()), rest),
                    List.of(),
                    out);
            Path file = folder.resolve("snapshot.db");
            assertReason(
                    CommonReason.DAMAGED,
                    ClusterException.class,
                    () -> reader.fetch(manifest, new DiskFiles(), file));
            assertFalse(Files.exists(file));
            assertTrue(rest.read < 4 << 20, () -> rest.read + " bytes");
        } else {
            byte[] longer = Arrays.copyOf(stored(), stored().length + (1 << 20));
            store.objects.put(key, longer);
            for (Level level : List.of(Level.SUM, Level.STRUCTURE)) {
                Verification verification = check(manifest, level);
                assertFalse(verification.passed());
            }
        }
    }

    private static final class Endless extends InputStream {

        private long read;

        @Override
        public int read() {
            read++;
            return 0;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            if (read > 1L << 30) {
                throw new IllegalStateException("it is read without a limit");
            }
            Arrays.fill(bytes, offset, offset + length, (byte) 0);
            read += length;
            return length;
        }
    }

    @Test
    void whatIsRestoredTellsWhetherItIsEncryptedAndSigned() {
        SnapshotManifest manifest = take(SnapshotEncoding.NONE);
        SnapshotReader reader = new SnapshotReader(catalog, List.of(), out);

        String unsigned =
                String.join("\n", new SnapshotToRestore(manifest, reader).described("first"));
        assertTrue(unsigned.startsWith("first\n"), unsigned);
        assertHasLine("It is not encrypted, and not signed: nothing proves who wrote it", unsigned);
        String signed = String.join(
                "\n", new SnapshotToRestore(manifest, reader, SignatureState.VALID).described(""));
        assertHasLine("It is not encrypted, and signed with an accepted key", signed);
    }

    @Test
    void aManifestThatNamesAnotherPlaceIsAFault() {
        SnapshotManifest good = take(SnapshotEncoding.NONE);
        String key = store.objects.keySet().stream()
                .filter(name -> name.endsWith("/manifest.json"))
                .findFirst()
                .orElseThrow();
        byte[] text = store.objects.get(key);
        String otherName = "v1/snapshots/%s/20300101t000000z-0001/manifest.json"
                .formatted(good.origin().clusterId());
        String otherCluster = "v1/snapshots/ffff/%s/manifest.json".formatted(good.name());
        store.objects.put(otherName, text);
        store.objects.put(otherCluster, text);

        assertEquals(
                2,
                catalog.entries().stream()
                        .filter(entry ->
                                entry.manifest().isEmpty() && entry.fault().contains(good.name()))
                        .count());
        assertEquals(good, catalog.find(SnapshotCatalog.LATEST));
    }

    @Test
    void gzipAloneIsReadByAnyOtherProgram() throws IOException {
        SnapshotManifest manifest = take(new SnapshotEncoding(true, List.of()));

        try (var plain = new java.util.zip.GZIPInputStream(new ByteArrayInputStream(stored()))) {
            assertArrayEquals(SnapshotBytes.atRevision(102), plain.readAllBytes());
        }
        assertTrue(check(manifest, Level.STRUCTURE).passed());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "age1", "age1qqq", "ssh-ed25519 AAAA", "AGE-SECRET-KEY-1QQ"})
    void whatIsNoRecipientIsRefused(String recipient) {
        assertThrows(
                UsageException.class,
                () -> new SnapshotEncoding(false, List.of(recipient)).check());
    }

    @ParameterizedTest
    @EnumSource(
            value = Level.class,
            names = {"SUM", "STRUCTURE"})
    void aStoredBitThatIsFlippedIsFoundAndNoted(Level level) {
        SnapshotManifest manifest = take(SnapshotEncoding.NONE);
        assertTrue(check(manifest, level).passed());
        clock.pause("", "", Duration.ofMinutes(1));
        stored()[9000] ^= 1;

        Verification verification = check(manifest, level);

        assertFalse(verification.passed());
        Entry entry = catalog.entries().getFirst();
        assertEquals(2, entry.verifications().size());
        assertTrue(entry.standing().isEmpty());
    }

    @Test
    void anotherSnapshotInItsPlaceIsFound() throws IOException {
        SnapshotManifest manifest = take(SnapshotEncoding.NONE);
        String key = store.objects.keySet().stream()
                .filter(name -> name.endsWith("/data"))
                .findFirst()
                .orElseThrow();
        store.objects.put(key, SnapshotBytes.atRevision(102 + 5));

        assertFalse(check(manifest, Level.SUM).passed());
        assertFalse(check(manifest, Level.STRUCTURE).passed());
    }

    @Test
    void theHighestLevelThatWasPassedStands() {
        SnapshotManifest manifest = take(SnapshotEncoding.NONE);
        check(manifest, Level.STRUCTURE);
        clock.pause("", "", Duration.ofMinutes(1));
        check(manifest, Level.SUM);

        assertEquals(
                Level.STRUCTURE,
                catalog.entries().getFirst().standing().orElseThrow().level());
    }

    @Test
    void bytesWithoutAManifestAreNoSnapshot() {
        store.create("v1/snapshots/abc/20260101t000000z-0001/data", to -> to.write(1));

        assertTrue(catalog.entries().getFirst().manifest().isEmpty());
        assertThrows(UsageException.class, () -> catalog.find(SnapshotCatalog.LATEST));
    }

    @Test
    void whatCannotBeReadIsToldAndHarmsNoOther() {
        SnapshotManifest good = take(SnapshotEncoding.NONE);
        store.objects.put(
                "v1/snapshots/abc/x/manifest.json",
                "{\"format\": 2}".getBytes(StandardCharsets.UTF_8));

        Entry unreadable = catalog.entries().stream()
                .filter(entry -> entry.name().equals("x"))
                .findFirst()
                .orElseThrow();
        assertEquals("manifest.json: it is of format 2, and 1 is known", unreadable.fault());
        assertEquals(good, catalog.find(SnapshotCatalog.LATEST));
    }

    @Test
    void aFailureBehindTheEncoderLeavesNothing() throws IOException {
        SnapshotEncoding gzip = new SnapshotEncoding(true, List.of());
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        try (OutputStream encoded = gzip.encode(to)) {
            encoded.write(SnapshotBytes.atRevision(5));
        }
        assertArrayEquals(
                SnapshotBytes.atRevision(5),
                gzip.decode(new ByteArrayInputStream(to.toByteArray()), List.of())
                        .readAllBytes());
    }

    @Test
    void pruneWarnsOfSnapshotsOfTheFutureAndKeepsThem() {
        clock.pause("", "", Duration.ofDays(365));
        SnapshotManifest wrong = take(SnapshotEncoding.NONE);
        VirtualWaiter right = new VirtualWaiter();
        SnapshotPrune prune = new SnapshotPrune(catalog, right, out);

        prune.remove(prune.expired(new Retention(0, 0, 0, 0, 0, 1)));

        assertEquals(wrong, catalog.find(SnapshotCatalog.LATEST));
        assertHasLine(
                "snapshots with a date in the future are kept, beside those that the --keep flags count: 1, the last one is %s. Next: compare the clock of this machine with that of the one that took them"
                        .formatted(wrong.name()),
                String.join("\n", out.warnings()));
    }

    /** An account that may only add objects must not stop old snapshots from being removed. */
    @Test
    void anObjectWithAnOddNameDoesNotStopPrune() {
        SnapshotManifest manifest = take(SnapshotEncoding.NONE);
        String place =
                "v1/snapshots/%s/%s/".formatted(manifest.origin().clusterId(), manifest.name());
        store.objects.put(place + "EVIL", new byte[1]);
        store.objects.put("v1/snapshots/EVIL/x/data", new byte[1]);
        SnapshotPrune prune = new SnapshotPrune(catalog, clock, out);

        prune.remove(prune.expired(new Retention(0, 0, 0, 0, 0, 1)));

        assertEquals(Set.of(place + "EVIL", "v1/snapshots/EVIL/x/data"), store.objects.keySet());
        assertEquals(1, out.warnings().size());
    }
}
