package io.kjadm.core.snapshot.foreign;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.snapshot.SnapshotCatalog;
import io.kjadm.core.snapshot.SnapshotCheck;
import io.kjadm.core.snapshot.SnapshotEncoding;
import io.kjadm.core.snapshot.SnapshotImport;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.Verification.Level;
import io.kjadm.etcd.SnapshotBytes;
import io.kjadm.store.MemoryStore;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Files as other tools leave them, made of what real etcd servers have sent. */
class SnapshotImportTest {

    private static final String MANAGER = "/store/backups/etcd/main/2026-11-20T10:24:59Z-000001/";

    private final MemoryFiles files = new MemoryFiles();
    private final MemoryStore store = new MemoryStore();
    private final SnapshotCatalog catalog = new SnapshotCatalog(store);
    private final RecordingReporter out = new RecordingReporter();

    private static byte[] ofEtcd(String version) throws IOException {
        try (InputStream resource = SnapshotBytes.class.getResourceAsStream(
                        "snapshot/etcd-%s.db.gz".formatted(version));
                InputStream plain = new GZIPInputStream(resource)) {
            return plain.readAllBytes();
        }
    }

    private static byte[] database(byte[] snapshot) {
        return Arrays.copyOf(snapshot, snapshot.length - 32);
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        try (OutputStream packed = new GZIPOutputStream(to)) {
            packed.write(bytes);
        }
        return to.toByteArray();
    }

    private static byte[] zlib(byte[] bytes) throws IOException {
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        try (OutputStream packed = new DeflaterOutputStream(to)) {
            packed.write(bytes);
        }
        return to.toByteArray();
    }

    private static byte[] zip(byte[] bytes, String... names) throws IOException {
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        try (ZipOutputStream archive = new ZipOutputStream(to)) {
            for (String name : names) {
                archive.putNextEntry(new ZipEntry(name));
                archive.write(bytes);
            }
        }
        return to.toByteArray();
    }

    private SnapshotManifest take(String path) {
        return take(path, false);
    }

    private SnapshotManifest take(String path, boolean unsummed) {
        ForeignSnapshot foreign = find(path);
        return new SnapshotImport(catalog, files, new SplittableRandom(1), out)
                .take(
                        foreign,
                        new SnapshotImport.Terms(
                                SnapshotEncoding.NONE,
                                unsummed,
                                Map.of("reason", "a test"),
                                Optional.empty()))
                .manifest();
    }

    private ForeignSnapshot find(String path) {
        return new ForeignSnapshots(files).find(Path.of(path), Optional.empty());
    }

    private byte[] stored() {
        return store.objects.entrySet().stream()
                .filter(object -> object.getKey().endsWith("/data"))
                .findFirst()
                .orElseThrow()
                .getValue();
    }

    private void assertTaken(SnapshotManifest manifest, String format, byte[] snapshot) {
        assertArrayEquals(snapshot, stored());
        assertEquals(format, manifest.labels().get("imported-from"));
        assertEquals("a test", manifest.labels().get("reason"));
        assertEquals(manifest, catalog.find(SnapshotCatalog.LATEST));
        assertEquals(157, manifest.plain().content().revision());
        assertTrue(new SnapshotCheck(catalog, List.of(), new VirtualWaiter(), out)
                .check(manifest, Level.STRUCTURE)
                .passed());
    }

    private void assertRefused(
            Class<? extends KjadmException> kind, String path, boolean unsummed) {
        assertThrows(kind, () -> take(path, unsummed));
        assertEquals(Map.of(), store.objects);
    }

    @ParameterizedTest
    @CsvSource({"3.5.30, 3.5.0", "3.6.14, 3.6.0"})
    void whatEtcdctlHasSaved(String version, String told) throws IOException {
        byte[] snapshot = ofEtcd(version);
        files.with("/root/backup.db", snapshot);

        SnapshotManifest manifest = take("/root/backup.db");

        assertTaken(manifest, "etcdctl", snapshot);
        assertEquals(told, manifest.origin().etcd().toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/etc/kubernetes/tmp/kubeadm-backup-etcd-2026-11-20-10-24-59/etcd/member/snap/db",
                "/etc/kubernetes/tmp/kubeadm-backup-etcd-2026-11-20-10-24-59",
                "/etc/kubernetes/tmp/kubeadm-backup-etcd-2026-11-20-10-24-59/etcd",
            })
    void theDatabaseOfKubeadmsBackupGetsItsSum(String path) throws IOException {
        byte[] snapshot = ofEtcd("3.5.30");
        files.with(
                "/etc/kubernetes/tmp/kubeadm-backup-etcd-2026-11-20-10-24-59/etcd/member/snap/db",
                database(snapshot));

        assertRefused(UsageException.class, path, false);

        assertTaken(take(path, true), "datadir", snapshot);
        assertFalse(out.warnings().isEmpty());
    }

    @Test
    void aDatabaseThatIsInUseIsRefused() throws IOException {
        files.with("/var/lib/etcd/member/snap/db", database(ofEtcd("3.5.30")))
                .identified("/var/lib/etcd/member/snap/db", "fe:00:2154501")
                .with("/proc/locks", "1: FLOCK  ADVISORY  WRITE 4711 fe:00:2154501 0 EOF\n");

        assertRefused(HostException.class, "/var/lib/etcd", true);
        assertRefused(HostException.class, "/var/lib/etcd/member/snap/db", true);
    }

    @Test
    void k3sPlainAndInAnArchive() throws IOException {
        byte[] snapshot = ofEtcd("3.6.14");
        String name = "etcd-snapshot-node-1-1763634299";
        files.with("/var/lib/rancher/" + name, snapshot)
                .with("/var/lib/rancher/" + name + ".zip", zip(snapshot, name));

        SnapshotManifest plain = take("/var/lib/rancher/" + name);
        assertTaken(plain, "k3s", snapshot);
        assertEquals(Instant.ofEpochSecond(1763634299), plain.taken());
        assertTrue(plain.name().startsWith("20251120t102459z-"), plain::name);
        store.objects.clear();

        assertTaken(take("/var/lib/rancher/" + name + ".zip"), "k3s", snapshot);
    }

    @Test
    void anArchiveWithMoreThanOneFileIsRefused() throws IOException {
        files.with("/a-1763634299.zip", zip(ofEtcd("3.6.14"), "one", "two"));
        assertRefused(HostException.class, "/a-1763634299.zip", true);
    }

    @Test
    void etcdManager() throws IOException {
        byte[] snapshot = ofEtcd("3.5.30");
        files.with(MANAGER + "etcd.backup.gz", gzip(snapshot));

        assertRefused(UsageException.class, MANAGER, false);
        files.with(
                MANAGER + "_etcd_backup.meta",
                "{\"etcdVersion\": \"3.5.21\", \"timestamp\": \"1763634299\", \"clusterSpec\": {}}");

        SnapshotManifest manifest = take(MANAGER);
        assertTaken(manifest, "etcd-manager", snapshot);
        assertEquals(Instant.ofEpochSecond(1763634299), manifest.taken());
        assertEquals("3.5.21", manifest.origin().etcd().toString());
        store.objects.clear();
        assertTaken(take(MANAGER + "etcd.backup.gz"), "etcd-manager", snapshot);
        store.objects.clear();

        UsageException which =
                assertThrows(UsageException.class, () -> take("/store/backups/etcd/main"));
        assertEquals("/store/backups/etcd/main/2026-11-20T10:24:59Z-000001", which.why());
    }

    @Test
    void gardenersFullSnapshotsInEveryPackingButLzw() throws IOException {
        byte[] snapshot = ofEtcd("3.5.30");
        String full = "/backup/v2/Full-00000000-00000157-1763634299";
        Map<String, byte[]> packed =
                Map.of("", snapshot, ".gz", gzip(snapshot), ".zlib", zlib(snapshot));
        packed.forEach((suffix, bytes) -> {
            files.with(full + suffix, bytes);
            SnapshotManifest manifest = take(full + suffix);
            assertTaken(manifest, "gardener", snapshot);
            assertEquals(Instant.ofEpochSecond(1763634299), manifest.taken());
            store.objects.clear();
        });
        files.with(full + ".Z", snapshot);
        UsageException lzw = assertThrows(UsageException.class, () -> take(full + ".Z"));
        assertEquals("it is compressed with LZW (.Z), which this program does not know", lzw.why());
    }

    @Test
    void ofGardenersFolderTheNewestIsTakenAndWhatIsMissingTold() throws IOException {
        byte[] snapshot = ofEtcd("3.5.30");
        files.with("/b/Full-00000000-00000100-1763630000", SnapshotBytes.atRevision(100))
                .with("/b/Incr-00000101-00000157-1763631000", "changes")
                .with("/b/Full-00000000-00000157-1763634299.final", snapshot)
                .with("/b/Incr-00000158-00000170-1763635000.gz", "changes")
                .with("/b/Incr-00000171-00000180-1763636000.gz", "changes");

        assertTaken(take("/b"), "gardener", snapshot);

        assertEquals(
                List.of(
                        "Only the full snapshot is taken: the changes of the revisions 158 to 180, in 2 other files of Gardener, are not in it"),
                out.warnings());
        assertThrows(UsageException.class, () -> take("/b/Incr-00000158-00000170-1763635000.gz"));
    }

    /** A bit of what is packed, too: its unpacker may find it or the sum does. */
    @ParameterizedTest
    @ValueSource(strings = {"/a.db", "/a.gz", "/a-1763634299.zip", "/a.zlib"})
    void aBitThatIsFlippedAnywhereIsFound(String path) throws IOException {
        byte[] snapshot = ofEtcd("3.5.30");
        byte[] bytes = switch (path) {
            case "/a.gz" -> gzip(snapshot);
            case "/a.zlib" -> zlib(snapshot);
            case "/a-1763634299.zip" -> zip(snapshot, "a");
            default -> snapshot;
        };
        SplittableRandom random = new SplittableRandom(31);
        for (int i = 0; i < 200; i++) {
            byte[] bent = bytes.clone();
            // behind the head of the packing, whose names and times mean nothing
            int bit = 8 * 40 + random.nextInt((bytes.length - 200) * 8);
            bent[bit / 8] ^= (byte) (1 << bit % 8);
            files.with(path, bent);
            try {
                take(path);
                // what is not compressed well has bits that unpack to the same
                assertArrayEquals(snapshot, stored(), "bit " + bit);
                store.objects.clear();
            } catch (HostException | UsageException e) {
                assertEquals(Map.of(), store.objects);
            }
        }
    }

    @Test
    void whatIsNoDatabaseIsNotReadToItsEnd() throws IOException {
        files.with("/zeros.gz", gzip(new byte[1 << 20]))
                .with("/text", "hello".getBytes(StandardCharsets.UTF_8))
                .with("/empty", "");
        for (String path : List.of("/zeros.gz", "/text", "/empty")) {
            assertRefused(HostException.class, path, true);
        }
    }

    @Test
    void oneThatLostItsEndIsRefused() throws IOException {
        byte[] snapshot = ofEtcd("3.5.30");
        files.with("/cut", Arrays.copyOf(snapshot, snapshot.length - 100))
                .with("/short", Arrays.copyOf(snapshot, snapshot.length - 4096 - 32))
                .with("/half.gz", Arrays.copyOf(gzip(snapshot), gzip(snapshot).length / 2));
        assertRefused(HostException.class, "/half.gz", true);
        assertRefused(HostException.class, "/short", true);
        assertThrows(KjadmException.class, () -> take("/cut", false));
        assertRefused(HostException.class, "/cut", true);
    }

    @Test
    void whatIsNotThereOrNotKnownIsRefused() {
        files.withDirectory("/empty");
        assertRefused(HostException.class, "/nowhere", false);
        assertRefused(UsageException.class, "/empty", false);
        for (ForeignFormat format : ForeignFormat.values()) {
            assertThrows(
                    UsageException.class,
                    () -> new ForeignSnapshots(files).find(Path.of("/empty"), Optional.of(format)));
        }
    }
}
