package io.kjadm.core.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

class OverlayFilesTest {

    private static final Path OLD = Path.of("/etc/kubernetes/manifests/etcd.yaml");
    private static final Path NEW = Path.of("/etc/kubernetes/manifests/kube-apiserver.yaml");

    private final MemoryFiles disk = new MemoryFiles().with(OLD.toString(), "old\n");
    private final RecordingReporter out = new RecordingReporter();
    private final HostFiles files = new OverlayFiles(disk, out);

    @Test
    void writesAreToldAndSeenButNotMade() {
        files.write(NEW, "new\n", FileMode.OWNER_ONLY);
        assertEquals(Optional.of("new\n"), files.read(NEW));
        assertEquals(List.of(OLD, NEW), files.list(OLD.getParent()));
        assertEquals(List.of(OLD), disk.files());
        assertEquals(
                List.of("[dryrun] Would write file \"%s\" with content:".formatted(NEW), "new\n"),
                out.lines());
    }

    @Test
    void secretsAreNotShown() {
        files.write(Path.of("/etc/kubernetes/pki/ca.key"), "key", FileMode.OWNER_ONLY);
        files.write(Path.of("/etc/kubernetes/admin.conf"), "kind: Config", FileMode.OWNER_ONLY);
        files.write(
                Path.of("/tmp/x.pem"), "-----BEGIN EC PRIVATE KEY-----\nabc", FileMode.OWNER_ONLY);
        files.write(
                Path.of("/tmp/user"),
                "users:\n- user:\n    token: abcdef.0123456789abcdef\n",
                FileMode.OWNER_ONLY);
        files.write(Path.of("/tmp/binary"), new byte[] {(byte) 0xff, 0}, FileMode.OWNER_ONLY);
        assertEquals(
                Stream.of(
                                "/etc/kubernetes/pki/ca.key",
                                "/etc/kubernetes/admin.conf",
                                "/tmp/x.pem",
                                "/tmp/user",
                                "/tmp/binary")
                        .flatMap(file -> Stream.of(
                                "[dryrun] Would write file \"%s\" with content:".formatted(file),
                                "(content not shown)"))
                        .toList(),
                out.lines());
    }

    /** A journal is written at each step, and tells an operator nothing. */
    @Test
    void whatKjadmNotesForItsNextRunIsNotShown() {
        files.write(Path.of("/var/lib/kjadm/etcd/member.json"), "{\"a\": 1}", FileMode.OWNER_ONLY);
        files.write(
                Path.of("/etc/kubernetes/tmp/kjadm-etcd-join"), "{\"a\": 1}", FileMode.OWNER_ONLY);
        assertEquals(
                List.of("(content not shown)", "(content not shown)"),
                out.lines().stream()
                        .filter(line -> !line.startsWith("[dryrun]"))
                        .toList());
    }

    @Test
    void whatWouldFillAFileIsNotFetched() {
        files.fill(NEW, FileMode.OWNER_ONLY, to -> {
            throw new IllegalStateException("it is not asked for");
        });
        assertTrue(files.exists(NEW));
        assertFalse(disk.exists(NEW));
        assertEquals(Set.of(NEW.toString()), Named.files(out.in("dryrun").toString()));
    }

    @Test
    void deletedFileIsGoneHereOnlyAndCanBeWrittenAgain() {
        files.delete(OLD);
        files.delete(OLD);
        assertFalse(files.exists(OLD));
        assertEquals(Optional.empty(), files.read(OLD));
        assertTrue(disk.exists(OLD));
        assertEquals(List.of("[dryrun] Would delete \"%s\"".formatted(OLD)), out.lines());
        files.write(OLD, "again", FileMode.OWNER_ONLY);
        assertEquals(Optional.of("again"), files.read(OLD));
    }

    @Test
    void emptiedDirectoryStaysAndIsEmpty() {
        files.write(NEW, "new", FileMode.OWNER_ONLY);
        files.deleteContents(OLD.getParent());
        assertTrue(files.isDirectory(OLD.getParent()));
        assertEquals(List.of(), files.list(OLD.getParent()));
        assertTrue(disk.exists(OLD));
    }

    @Test
    void renameMovesATreeOfBothLayers() {
        files.write(NEW, "new", FileMode.OWNER_ONLY);
        Path to = Path.of("/etc/kubernetes/tmp/backup");
        files.rename(OLD.getParent(), to);
        assertEquals(Optional.of("old\n"), files.read(to.resolve("etcd.yaml")));
        assertEquals(Optional.of("new"), files.read(to.resolve("kube-apiserver.yaml")));
        assertFalse(files.exists(OLD));
        assertThrows(HostException.class, () -> files.rename(OLD, NEW));
    }

    @Test
    void createdDirectoryIsToldOnce() {
        Path data = Path.of("/var/lib/etcd");
        files.createDirectory(data, FileMode.PRIVATE_DIRECTORY);
        files.createDirectory(data, FileMode.PRIVATE_DIRECTORY);
        assertTrue(files.isDirectory(data));
        assertEquals(List.of("[dryrun] Would create directory \"/var/lib/etcd\""), out.lines());
    }
}
