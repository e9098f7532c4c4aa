package io.kjadm.core.snapshot.pki;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.exceptionfactory.jagged.x25519.X25519KeyPairGenerator;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.kube.MemoryKubeApi;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.snapshot.SavedSnapshot;
import io.kjadm.core.snapshot.SnapshotCatalog;
import io.kjadm.core.snapshot.SnapshotCheck;
import io.kjadm.core.snapshot.SnapshotCopy;
import io.kjadm.core.snapshot.SnapshotEncoding;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.SnapshotPki;
import io.kjadm.core.snapshot.SnapshotSave;
import io.kjadm.core.snapshot.Verification.Level;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.store.MemoryStore;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/** The keys of a cluster, into a store and onto a blank machine. */
class SnapshotPkiTest {

    private static final String KEY = "-----BEGIN RSA PRIVATE KEY-----\nof the CA\n";

    private static final String ENCRYPTION =
            "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\n";

    private final MemoryFiles node = new MemoryFiles();
    private final MemoryKubeApi api = new MemoryKubeApi();
    private final MemoryStore store = new MemoryStore();
    private final SnapshotCatalog catalog = new SnapshotCatalog(store);
    private final RecordingReporter out = new RecordingReporter();
    private final KeyPair pair = pair();

    private static KeyPair pair() {
        try {
            return new X25519KeyPairGenerator().generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String secret(KeyPair pair) {
        return pair.getPrivate().toString();
    }

    private void controlPlane() {
        for (String name : List.of("ca", "front-proxy-ca", "etcd/ca")) {
            node.with("/etc/kubernetes/pki/" + name + ".crt", name + " certificate")
                    .with("/etc/kubernetes/pki/" + name + ".key", KEY + name);
        }
        node.with("/etc/kubernetes/pki/sa.key", KEY + "sa")
                .with("/etc/kubernetes/pki/sa.pub", "sa public")
                .with("/etc/kubernetes/pki/apiserver.key", "is made anew")
                .with("/etc/kubernetes/secrets/enc.yaml", ENCRYPTION)
                .with("/etc/kubernetes/manifests/kube-apiserver.yaml", """
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: kube-apiserver}
                        spec:
                          containers:
                          - name: kube-apiserver
                            image: x
                            command:
                            - kube-apiserver
                            - --encryption-provider-config=/etc/kubernetes/secrets/enc.yaml
                        """);
        api.with(new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace("kube-system")
                .withName("kubeadm-config")
                .endMetadata()
                .addToData("ClusterConfiguration", "kind: ClusterConfiguration\n")
                .build());
    }

    private PkiExtraction extraction(HostFiles machine, String... allowed) {
        return new PkiExtraction(
                machine,
                new PkiPlaces(
                        KubernetesPaths.standard(),
                        Stream.of(allowed).map(Path::of).toList()),
                out);
    }

    private List<PkiFile> gathered() {
        return new PkiFiles(node, KubernetesPaths.standard()).gather(() -> api, out);
    }

    private SnapshotManifest taken() {
        return saved().manifest();
    }

    private SavedSnapshot saved() {
        SimulatedCluster etcd = SimulatedCluster.ofVoters(1, "3.6.14");
        SnapshotSave save =
                new SnapshotSave(etcd, catalog, new VirtualWaiter(), new SplittableRandom(1), out);
        return save.save(
                save.choose(EtcdHealth.ask(etcd)),
                new SnapshotSave.Terms(
                        new SnapshotEncoding(false, List.of(pair.getPublic().toString())),
                        Map.of(),
                        gathered(),
                        Optional.empty()));
    }

    @Test
    void whatCannotBeMadeAnewIsGathered() {
        controlPlane();

        List<String> paths =
                gathered().stream().map(file -> file.path().toString()).sorted().toList();

        assertEquals(
                List.copyOf(new TreeSet<>(List.of(
                        "etc/kubernetes/kubeadm-config.yaml",
                        "etc/kubernetes/pki/ca.crt",
                        "etc/kubernetes/pki/ca.key",
                        "etc/kubernetes/pki/etcd/ca.crt",
                        "etc/kubernetes/pki/etcd/ca.key",
                        "etc/kubernetes/pki/front-proxy-ca.crt",
                        "etc/kubernetes/pki/front-proxy-ca.key",
                        "etc/kubernetes/pki/sa.key",
                        "etc/kubernetes/pki/sa.pub",
                        "etc/kubernetes/secrets/enc.yaml"))),
                paths);
    }

    @Test
    void aNodeWithoutKeysIsRefused() {
        assertThrows(HostException.class, this::gathered);
        controlPlane();
        node.delete(Path.of("/etc/kubernetes/secrets/enc.yaml"));
        assertThrows(HostException.class, this::gathered);
    }

    @Test
    void theyAreReadAgainByTheirRecipientsOnly() {
        controlPlane();

        SnapshotManifest manifest = taken();

        store.objects
                .values()
                .forEach(bytes -> assertFalse(
                        new String(bytes, StandardCharsets.ISO_8859_1).contains("PRIVATE")));
        assertEquals(manifest, catalog.find(SnapshotCatalog.LATEST));
        MemoryFiles blank = new MemoryFiles();
        extraction(blank)
                .into(Path.of("/"), new SnapshotPki(catalog).read(manifest, List.of(secret(pair))));
        for (PkiFile file : gathered()) {
            Path path = Path.of("/").resolve(file.path());
            assertArrayEquals(file.content(), blank.readBytes(path).orElseThrow());
            boolean open = path.toString().endsWith(".crt") || path.toString().endsWith(".pub");
            assertEquals(
                    open ? FileMode.WORLD_READABLE : FileMode.OWNER_ONLY,
                    blank.mode(path).orElseThrow());
        }
        assertThrows(
                HostException.class,
                () -> new SnapshotPki(catalog).read(manifest, List.of(secret(pair()))));
        assertEquals(
                gathered().stream().map(file -> "Wrote /" + file.path()).toList(), out.in("pki"));
        assertEquals(Set.of(), Named.pemBlocks(out.text()));
    }

    @Test
    void withoutRecipientsNothingIsWritten() {
        controlPlane();
        SimulatedCluster etcd = SimulatedCluster.ofVoters(1, "3.6.14");
        SnapshotSave save =
                new SnapshotSave(etcd, catalog, new VirtualWaiter(), new SplittableRandom(1), out);
        assertThrows(
                IllegalStateException.class,
                () -> save.save(
                        save.choose(EtcdHealth.ask(etcd)),
                        new SnapshotSave.Terms(
                                SnapshotEncoding.NONE, Map.of(), gathered(), Optional.empty())));
        assertTrue(store.objects.keySet().stream().noneMatch(key -> key.endsWith("/pki")));
    }

    @Test
    void aBitOfThemThatIsFlippedIsFound() {
        controlPlane();
        store.confirms = true;
        SavedSnapshot saved = saved();
        SnapshotManifest manifest = saved.manifest();
        SnapshotCheck check = new SnapshotCheck(catalog, List.of(), new VirtualWaiter(), out);
        assertTrue(check.check(manifest, Level.SUM).passed());
        store.objects.entrySet().stream()
                .filter(object -> object.getKey().endsWith("/pki"))
                .forEach(object -> object.getValue()[object.getValue().length - 9] ^= 1);

        assertFalse(check.check(manifest, Level.SUM).passed());
        assertFalse(check.check(saved, Level.SUM).passed());
        assertThrows(
                ClusterException.class,
                () -> new SnapshotPki(catalog).read(manifest, List.of(secret(pair))));
    }

    @Test
    void aCopyHasThemToo() {
        controlPlane();
        SnapshotManifest manifest = taken();
        SnapshotCatalog elsewhere = new SnapshotCatalog(new MemoryStore());

        new SnapshotCopy(catalog, elsewhere, out).copy(manifest);

        assertEquals(
                gathered().size(),
                new SnapshotPki(elsewhere)
                        .read(elsewhere.find("latest"), List.of(secret(pair)))
                        .size());
    }

    @Test
    void nothingIsReplaced() {
        controlPlane();
        List<PkiFile> bundle = gathered();
        MemoryFiles machine = new MemoryFiles();
        machine.with("/new/etc/kubernetes/pki/sa.key", "another");

        assertThrows(HostException.class, () -> extraction(machine).into(Path.of("/new"), bundle));

        assertEquals(1, machine.files().size());
        machine.delete(Path.of("/new/etc/kubernetes/pki/sa.key"));
        extraction(machine).into(Path.of("/new"), bundle);
        extraction(machine).into(Path.of("/new"), bundle);
        assertEquals(bundle.size(), machine.files().size());
    }

    /** Whoever writes to a store decides what lies in a bundle, not where it is written. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "etc/cron.d/x",
                "root/.ssh/authorized_keys",
                "etc/ld.so.preload",
                "etc/kubernetes/manifests/x.yaml",
                "etc/kubernetes/patches/x.yaml",
                "etc/kubernetes/tmp/x.yaml",
                "etc/kubernetes/admin.conf",
                "etc/kubernetes/pki/../manifests/x.yaml",
                "etc/kubernetes/pki/apiserver.key"
            })
    void whatNoBundleHasIsRefusedBeforeAnythingIsWritten(String path) {
        controlPlane();
        List<PkiFile> bundle = new ArrayList<>(gathered());
        byte[] content = path.endsWith(".yaml")
                ? ENCRYPTION.replace("Encryption", "").getBytes(StandardCharsets.UTF_8)
                : "* * * * * root id".getBytes(StandardCharsets.UTF_8);
        bundle.add(new PkiFile(Path.of(path), FileMode.WORLD_READABLE, content));
        MemoryFiles machine = new MemoryFiles();

        assertThrows(HostException.class, () -> extraction(machine).into(Path.of("/new"), bundle));

        assertEquals(List.of(), machine.files());
    }

    @Test
    void oneEncryptionConfigurationIsWrittenAndNoneWhereItWouldRun() {
        for (String path : List.of("etc/kubernetes/manifests/x", "etc/kubernetes/x.conf", "x")) {
            List<PkiFile> bundle = List.of(encryption(path));
            assertThrows(
                    HostException.class,
                    () -> extraction(new MemoryFiles()).into(Path.of("/"), bundle));
        }
        List<PkiFile> two = List.of(encryption("etc/kubernetes/a"), encryption("etc/kubernetes/b"));
        assertThrows(
                HostException.class, () -> extraction(new MemoryFiles()).into(Path.of("/"), two));

        MemoryFiles machine = new MemoryFiles();
        extraction(machine, "/srv/enc.yaml")
                .into(Path.of("/"), List.of(encryption("srv/enc.yaml")));
        assertEquals(FileMode.OWNER_ONLY, machine.mode(Path.of("/srv/enc.yaml")).orElseThrow());
    }

    private static PkiFile encryption(String path) {
        return new PkiFile(
                Path.of(path),
                FileMode.WORLD_READABLE,
                ENCRYPTION.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aKeyIsForItsOwnerAloneWhateverTheBundleSays() {
        MemoryFiles machine = new MemoryFiles();
        extraction(machine)
                .into(
                        Path.of("/"),
                        List.of(new PkiFile(
                                Path.of("etc/kubernetes/pki/ca.key"),
                                FileMode.WORLD_READABLE,
                                new byte[] {1})));
        assertEquals(
                FileMode.OWNER_ONLY,
                machine.mode(Path.of("/etc/kubernetes/pki/ca.key")).orElseThrow());
    }

    @Test
    void nothingIsWrittenThroughALink(@TempDir Path scratch) throws IOException {
        controlPlane();
        Path victim = Files.createDirectories(scratch.resolve("victim"));
        Path etc = Files.createDirectories(scratch.resolve("root/etc"));
        Files.createSymbolicLink(etc.resolve("kubernetes"), victim);
        List<PkiFile> bundle = gathered();

        assertThrows(
                HostException.class,
                () -> extraction(new DiskFiles()).into(scratch.resolve("root"), bundle));

        try (Stream<Path> below = Files.list(victim)) {
            assertEquals(0, below.count());
        }
    }

    /** Bundle and manifest were both written by another account, which has no key at all. */
    @Test
    void aBundleThatIsNotEncryptedIsNotRead() throws IOException {
        SimulatedCluster etcd = SimulatedCluster.ofVoters(1, "3.6.14");
        SnapshotSave save =
                new SnapshotSave(etcd, catalog, new VirtualWaiter(), new SplittableRandom(1), out);
        SnapshotManifest taken =
                save.save(save.choose(EtcdHealth.ask(etcd)), SnapshotEncoding.NONE, Map.of());
        ByteArrayOutputStream plain = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(plain)) {
            gzip.write(archive("etc/kubernetes/pki/ca.key"));
        }
        String place = "v1/snapshots/%s/%s/".formatted(taken.origin().clusterId(), taken.name());
        store.objects.put(place + "pki", plain.toByteArray());
        String manifest = place + "manifest.json";
        String text = new String(store.objects.get(manifest), StandardCharsets.UTF_8);
        String pki = "\"pki\" : {\"bytes\": %d, \"sha256\": \"%s\"}, \"recipients\""
                .formatted(plain.size(), sha256(plain.toByteArray()));
        store.objects.put(
                manifest, text.replace("\"recipients\"", pki).getBytes(StandardCharsets.UTF_8));
        SnapshotManifest crafted = catalog.find("latest");
        assertTrue(crafted.stored().pki().isPresent());

        for (List<String> identities : List.of(List.<String>of(), List.of(secret(pair)))) {
            assertThrows(
                    ClusterException.class,
                    () -> new SnapshotPki(catalog).read(crafted, identities));
        }
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aSnapshotWithoutThemSaysSo() {
        SimulatedCluster etcd = SimulatedCluster.ofVoters(1, "3.6.14");
        SnapshotSave save =
                new SnapshotSave(etcd, catalog, new VirtualWaiter(), new SplittableRandom(1), out);
        SnapshotManifest manifest =
                save.save(save.choose(EtcdHealth.ask(etcd)), SnapshotEncoding.NONE, Map.of());
        assertThrows(
                UsageException.class, () -> new SnapshotPki(catalog).read(manifest, List.of()));
    }

    private static byte[] archive(String path) throws IOException {
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        PkiArchive.write(
                List.of(new PkiFile(Path.of(path), FileMode.OWNER_ONLY, new byte[] {1, 2})), to);
        return to.toByteArray();
    }
}
