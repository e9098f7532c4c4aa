package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.etcd.EtcdVersion;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;

/** A release becomes programs, or nothing at all. */
class ReleaseInstallerTest {

    private static final EtcdVersion VERSION = EtcdVersion.parse("3.6.8");
    private static final EtcdRelease RELEASE = EtcdRelease.here(VERSION);
    private static final Path INSTALL = Path.of("/opt/bin");
    private static final String CACHE = "/var/cache/kjadm/etcd/v3.6.8/";

    private final MemoryFiles files = new MemoryFiles();
    private final RecordingReporter out = new RecordingReporter();
    private final Map<String, byte[]> served = new HashMap<>();
    private final List<String> asked = new ArrayList<>();
    private Map<String, String> pinned = Map.of();

    /** Tells the version that is written in the program's file. */
    private final CommandRunner runner = new CommandRunner() {
        @Override
        public Output run(List<String> command, Duration limit) {
            String program = files.read(Path.of(command.getFirst())).orElse("");
            return new Output(0, "etcd Version: " + program + "\nGit SHA: x\n", "");
        }

        @Override
        public boolean isInstalled(String program) {
            return true;
        }
    };

    private ReleaseInstaller installer() {
        return new ReleaseInstaller(
                files,
                runner,
                (url, into) -> {
                    asked.add(url.toString());
                    byte[] content = served.get(url.toString());
                    if (content == null) {
                        throw new IOException("HTTP status 404");
                    }
                    into.write(content);
                },
                EtcdHostPaths.standard(),
                new ReleaseSums(pinned));
    }

    private static EtcdRunOptions options(Optional<Path> tarball) {
        return new EtcdRunOptions(
                URI.create("https://releases.example/etcd/"),
                tarball,
                Optional.empty(),
                Optional.empty(),
                List.of(),
                false);
    }

    private void install() {
        installer().install(VERSION, INSTALL, options(Optional.empty()), out);
    }

    private static byte[] archive(String version) {
        String folder = "etcd-v3.6.8-linux-amd64/";
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream tar = new GZIPOutputStream(bytes)) {
            entry(tar, folder, '5', "");
            entry(tar, folder + "README.md", '0', "read me ".repeat(200));
            entry(tar, folder + "etcdctl", '0', "ctl");
            entry(tar, folder + "etcdutl", '0', "utl");
            entry(tar, folder + "etcd", '0', version);
            tar.write(new byte[1024]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void entry(GZIPOutputStream tar, String name, char type, String content)
            throws IOException {
        byte[] header = new byte[512];
        byte[] body = content.getBytes(StandardCharsets.UTF_8);
        byte[] path = name.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(path, 0, header, 0, path.length);
        byte[] size = "%011o".formatted(body.length).getBytes(StandardCharsets.UTF_8);
        System.arraycopy(size, 0, header, 124, size.length);
        header[156] = (byte) type;
        tar.write(header);
        tar.write(body);
        tar.write(new byte[(512 - body.length % 512) % 512]);
    }

    private static String sum(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private void serve(byte[] archive, String listed) {
        String base = "https://releases.example/etcd/v3.6.8/";
        served.put(base + RELEASE.archive(), archive);
        served.put(
                base + "SHA256SUMS",
                "%s  %s\n".formatted(listed, RELEASE.archive()).getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aReleaseIsDownloadedVerifiedAndInstalled() {
        byte[] archive = archive("3.6.8");
        serve(archive, sum(archive));
        install();
        assertEquals("3.6.8", files.text("/opt/bin/etcd"));
        assertEquals("utl", files.text("/opt/bin/etcdutl"));
        assertEquals(Optional.of(FileMode.EXECUTABLE), files.mode(Path.of("/opt/bin/etcdctl")));
        assertTrue(files.exists(Path.of(CACHE + RELEASE.archive())));
    }

    @Test
    void anArchiveThatTheReleaseDoesNotListSoIsRefused() {
        serve(archive("3.6.8"), sum(archive("another")));
        HostException refused = assertThrows(HostException.class, this::install);
        assertTrue(refused.why().contains("SHA256SUMS"), refused.why());
        assertEquals(List.of(), files.files());
    }

    @Test
    void aListThatWasChangedWithTheArchiveDoesNotHelp() {
        byte[] archive = archive("3.6.8");
        serve(archive, sum(archive));
        pinned = Map.of(RELEASE.archive(), sum(archive("3.6.8-released")));
        HostException refused = assertThrows(HostException.class, this::install);
        assertTrue(refused.why().contains("this program"), refused.why());
        assertEquals(List.of(), files.files());
    }

    @Test
    void anArchiveThatIsNotListedIsRefused() {
        serve(archive("3.6.8"), "");
        assertThrows(HostException.class, this::install);
        assertEquals(List.of(), files.files());
    }

    @Test
    void withTheCacheFilledNobodyIsAsked() {
        byte[] archive = archive("3.6.8");
        files.with(CACHE + RELEASE.archive(), archive);
        files.with(CACHE + "SHA256SUMS", sum(archive) + "  " + RELEASE.archive() + "\n");
        install();
        assertEquals("3.6.8", files.text("/opt/bin/etcd"));
        assertEquals(List.of(), asked);
    }

    @Test
    void aDamagedFileInTheCacheIsRefused() {
        files.with(CACHE + RELEASE.archive(), archive("3.6.7"));
        files.with(CACHE + "SHA256SUMS", sum(archive("3.6.8")) + "  " + RELEASE.archive());
        assertThrows(HostException.class, this::install);
        assertFalse(files.exists(INSTALL.resolve("etcd")));
    }

    @Test
    void programsOfThatVersionStay() {
        files.with("/opt/bin/etcd", "3.6.8").with("/opt/bin/etcdctl", "by hand");
        install();
        assertEquals("by hand", files.text("/opt/bin/etcdctl"));
        assertEquals(List.of(), asked);
    }

    @Test
    void programsOfAnotherVersionAreReplaced() {
        files.with("/opt/bin/etcd", "3.5.7").with("/opt/bin/etcdctl", "old");
        files.with("/root/etcd.tar.gz", archive("3.6.8"));
        installer()
                .install(VERSION, INSTALL, options(Optional.of(Path.of("/root/etcd.tar.gz"))), out);
        assertEquals("3.6.8", files.text("/opt/bin/etcd"));
        assertEquals(1, out.warnings().size(), "it is said that nobody knows the sum");
    }

    @Test
    void anArchiveOfAnotherReleaseIsFoundOut() {
        files.with("/root/etcd.tar.gz", archive("3.5.30"));
        HostException refused = assertThrows(
                HostException.class,
                () -> installer()
                        .install(
                                VERSION,
                                INSTALL,
                                options(Optional.of(Path.of("/root/etcd.tar.gz"))),
                                out));
        assertTrue(refused.why().contains("3.5.30"), refused.why());
    }

    @Test
    void whatIsNoArchiveIsRefused() {
        files.with("/root/etcd.tar.gz", "not an archive");
        assertThrows(
                HostException.class,
                () -> installer()
                        .install(
                                VERSION,
                                INSTALL,
                                options(Optional.of(Path.of("/root/etcd.tar.gz"))),
                                out));
    }

    @Test
    void withoutAServerTheOtherWaysAreNamed() {
        HostException failure = assertThrows(HostException.class, this::install);
        assertTrue(failure.next().contains("--etcd-tarball"), failure.next());
        assertEquals(List.of(), files.files());
    }

    @Test
    void thePinnedSumsAreReadable() {
        Map<String, String> known = ReleaseSums.pinned().byFile();
        assertEquals(
                "b414b27a5ad05f7cb01395c447c85d3227e3fb1c176e51757a283b817f645ccc",
                known.get("etcd-v3.5.16-linux-amd64.tar.gz"));
        assertEquals(
                known.size(), Map.copyOf(known).values().stream().distinct().count());
    }
}
