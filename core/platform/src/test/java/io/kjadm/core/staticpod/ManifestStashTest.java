package io.kjadm.core.staticpod;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.Optional;

/** Manifests are taken out and put back, each in one piece and with its mode. */
class ManifestStashTest {

    private static final Path MANIFESTS = Path.of("/etc/kubernetes/manifests");
    private static final Path PLACE = Path.of("/etc/kubernetes/tmp/of-a-run");
    private static final Path MANIFEST = MANIFESTS.resolve("etcd.yaml");
    private static final Path ASIDE = PLACE.resolve("etcd.yaml");

    private final MemoryFiles files = new MemoryFiles().with(MANIFEST.toString(), "now");
    private final ManifestStash aside = new ManifestStash(files, KubernetesPaths.standard(), PLACE);

    @Test
    void itsTextIsFoundWhereverItIs() {
        assertEquals(Optional.of("now"), aside.text("etcd"));
        aside.takeOut("etcd");
        assertEquals(Optional.of("now"), aside.text("etcd"));
        assertFalse(aside.etcdInPlace());
    }

    @Test
    void itIsTakenOutByARenameAlsoThoughAnOldOneIsThere() {
        files.with(ASIDE.toString(), "before");
        aside.takeOut("etcd");
        assertFalse(files.exists(MANIFEST));
        assertEquals("now", files.text(ASIDE.toString()));
        assertEquals(
                Optional.of(FileMode.WORLD_READABLE), files.mode(ASIDE), "renamed, not copied");
    }

    @Test
    void nobodyElseLooksIntoThePlace() {
        aside.takeOut("etcd");
        assertEquals(Optional.of(FileMode.PRIVATE_DIRECTORY), files.mode(PLACE));
        assertEquals(
                Optional.of(FileMode.WORLD_READABLE), files.mode(ASIDE), "renamed, not copied");
    }

    @Test
    void itIsPutBackUnlessThereIsANewOne() {
        files.with(ASIDE.toString(), "before");
        aside.putBack("etcd");
        assertEquals("now", files.text(MANIFEST.toString()));
        files.delete(MANIFEST);
        aside.putBack("etcd");
        assertEquals("before", files.text(MANIFEST.toString()));
        assertFalse(files.exists(ASIDE));
    }

    @Test
    void whatWasNeverThereIsNotPutBack() {
        aside.putBack("kube-scheduler");
        aside.takeOut("kube-scheduler");
        assertEquals(Optional.empty(), aside.text("kube-scheduler"));
    }

    @Test
    void outOfAMountOfItsOwnItIsCopiedForItsOwnerOnly() {
        files.withMount(MANIFESTS.toString());
        aside.takeOut("etcd");
        assertFalse(files.exists(MANIFEST));
        assertEquals("now", files.text(ASIDE.toString()));
        assertEquals(Optional.of(FileMode.OWNER_ONLY), files.mode(ASIDE));
        aside.putBack("etcd");
        assertEquals("now", files.text(MANIFEST.toString()));
        assertFalse(files.exists(ASIDE));
    }

    @Test
    void whatCannotBeCopiedEitherStaysWhereItIs() {
        Path link = MANIFESTS.resolve("kube-apiserver.yaml");
        files.withMount(MANIFESTS.toString()).withLink(link.toString(), "/nowhere");
        HostException failure =
                assertThrows(HostException.class, () -> aside.takeOut("kube-apiserver"));
        assertEquals("Invalid cross-device link", failure.why());
        assertTrue(files.exists(link));
    }
}
