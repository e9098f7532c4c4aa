package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
import java.util.Set;
import java.util.zip.GZIPOutputStream;

/** A release becomes programs, or nothing at all. */
class ReleaseInstallerTest {

    private static final EtcdVersion VERSION = EtcdVersion.parse("3.6.8");
    private static final EtcdRelease RELEASE = EtcdRelease.here(VERSION);
    private static final Path INSTALL = Path.of("/opt/bin");
    private static final Path GIVEN = Path.of("/root/etcd.tar.gz");
    private static final String CACHE = "/var/cache/kjadm/etcd/v3.6.8/";

    private final MemoryFiles files = new MemoryFiles();
    private final RecordingReporter out = new RecordingReporter();
    private final Map<String, byte[]> served = new HashMap<>();
    private final List<String> asked = new ArrayList<>();
    private final List<Long> limits = new ArrayList<>();
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
                (url, limit, into) -> {
                    asked.add(url.toString());
                    limits.add(limit);
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
        return options("https://releases.example/etcd/", false, tarball);
    }

    private static EtcdRunOptions options(String server, boolean insecure, Optional<Path> tarball) {
        return new EtcdRunOptions(
                URI.create(server),
                insecure,
                tarball,
                Optional.empty(),
                Optional.empty(),
                List.of(),
                false);
    }

    private void install() {
        installer().install(VERSION, INSTALL, options(Optional.empty()), out);
    }

    private void installFrom(String server, boolean insecure) {
        installer().install(VERSION, INSTALL, options(server, insecure, Optional.empty()), out);
    }

    private void installGiven() {
        installer().install(VERSION, INSTALL, options(Optional.of(GIVEN)), out);
    }

    private boolean said(String words) {
        return out.lines().stream().anyMatch(step -> step.contains(words));
    }

    private static byte[] archive(String version) {
        return archive(RELEASE.folder() + "/", version);
    }

    private static byte[] archive(String folder, String version) {
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
        serve("https://releases.example/etcd", archive, listed);
    }

    private void serve(String server, byte[] archive, String listed) {
        String base = server + "/v3.6.8/";
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
        assertEquals(
                "its SHA-256 is %s, by SHA256SUMS of the same server it is %s"
                        .formatted(sum(archive("3.6.8")), sum(archive("another"))),
                refused.why());
        assertEquals(List.of(), files.files());
    }

    @Test
    void aListThatWasChangedWithTheArchiveDoesNotHelp() {
        byte[] archive = archive("3.6.8");
        serve(archive, sum(archive));
        pinned = Map.of(RELEASE.archive(), sum(archive("3.6.8-released")));
        HostException refused = assertThrows(HostException.class, this::install);
        assertEquals(
                "its SHA-256 is %s, by the release that kjadm knows it is %s"
                        .formatted(sum(archive), sum(archive("3.6.8-released"))),
                refused.why());
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
        assertEquals(1, out.warnings().size(), "the warning about the unknown checksum");
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
        assertEquals("it is version 3.5.30", refused.why());
    }

    @Test
    void anArchiveNamedAsAnotherReleaseIsRefusedBeforeItIsCopied() {
        files.with(GIVEN.toString(), archive("etcd-v3.7.1-linux-amd64/", "3.7.1"));
        HostException refused = assertThrows(HostException.class, this::installGiven);
        assertEquals("%s is needed".formatted(RELEASE.folder()), refused.why());
        assertEquals(Set.of("--etcd-tarball"), Named.flags(refused.next()));
        assertEquals(List.of(GIVEN), files.files());
    }

    @Test
    void anArchivePackedInAnotherWayIsInstalled() {
        files.with(GIVEN.toString(), archive("./", "3.6.8"));
        installGiven();
        assertEquals("3.6.8", files.text("/opt/bin/etcd"));
    }

    @Test
    void ofADirectoryWithArchivesThatOfTheReleaseIsInstalled() {
        files.with("/root/etcd/etcd-v3.7.1-linux-amd64.tar.gz", archive("3.7.1"));
        files.with("/root/etcd/" + RELEASE.archive(), archive("3.6.8"));
        installer().install(VERSION, INSTALL, options(Optional.of(Path.of("/root/etcd"))), out);
        assertEquals("3.6.8", files.text("/opt/bin/etcd"));

        files.delete(Path.of("/root/etcd/" + RELEASE.archive()));
        EtcdVersion other = EtcdVersion.parse("3.6.9");
        HostException refused = assertThrows(
                HostException.class,
                () -> installer()
                        .install(other, INSTALL, options(Optional.of(Path.of("/root/etcd"))), out));
        assertEquals("it was given with --etcd-tarball", refused.why());
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
        assertEquals(Set.of("--etcd-tarball"), Named.flags(failure.next()));
        assertEquals(List.of(), files.files());
    }

    @Test
    void itIsSaidWhatTheSumWasComparedWith() {
        byte[] archive = archive("3.6.8");
        serve(archive, sum(archive));
        install();
        assertTrue(said("matches SHA256SUMS of the same server"), out.lines().toString());

        files.deleteTree(Path.of("/"));
        pinned = Map.of(RELEASE.archive(), sum(archive));
        installFrom("https://releases.example/etcd", false);
        assertTrue(said("matches the release that kjadm knows"), out.lines().toString());
    }

    @Test
    void plainHttpIsRefusedUnlessTheReleaseIsKnown() {
        byte[] archive = archive("3.6.8");
        serve("http://mirror.example", archive, sum(archive));

        UsageException refused = assertThrows(
                UsageException.class, () -> installFrom("http://mirror.example", false));

        assertEquals(
                Set.of("--allow-insecure-release-server", "--etcd-tarball"),
                Named.flags(refused.next()));
        assertEquals(List.of(), asked);
        assertEquals(List.of(), files.files());

        pinned = Map.of(RELEASE.archive(), sum(archive));
        installFrom("http://mirror.example", false);
        assertEquals("3.6.8", files.text("/opt/bin/etcd"));
    }

    @ParameterizedTest
    @CsvSource({
        "http://mirror.example, true",
        "http://127.0.0.1:8080, false",
        "http://[::1]:8080, false",
        "http://localhost, false"
    })
    void plainHttpIsAcceptedOnLoopbackAndWithItsFlag(String server, boolean insecure) {
        byte[] archive = archive("3.6.8");
        serve(server, archive, sum(archive));
        installFrom(server, insecure);
        assertEquals("3.6.8", files.text("/opt/bin/etcd"));
        assertTrue(said("kjadm does not know this release"), out.lines().toString());
    }

    @Test
    void aDryRunRefusesPlainHttpToo() {
        EtcdPrograms dry = EtcdPrograms.reporting(runner, files, EtcdHostPaths.standard());
        EtcdVersion unknown = EtcdVersion.parse("3.6.999");
        assertThrows(
                UsageException.class,
                () -> dry.fetch(
                        unknown, options("http://mirror.example", false, Optional.empty()), out));
    }

    @Test
    void downloadsHaveLimits() {
        byte[] archive = archive("3.6.8");
        serve(archive, sum(archive));
        install();
        assertEquals(List.of(1L << 20, 512L << 20), limits);
    }

    @Test
    void anArchiveInTheCacheThatNothingKnowsIsRefused() {
        files.with(CACHE + RELEASE.archive(), archive("3.6.8"));
        HostException refused = assertThrows(HostException.class, this::install);
        assertEquals(
                "kjadm does not know etcd 3.6.8, and no SHA256SUMS next to the archive lists it",
                refused.why());
        assertFalse(files.exists(INSTALL.resolve("etcd")));
    }

    /** Another account exchanges the archive after it was hashed. */
    @Test
    void whatIsUnpackedIsTheCopyThatWasHashed() {
        byte[] archive = archive("3.6.8");
        files.with(GIVEN.toString(), archive);
        pinned = Map.of(RELEASE.archive(), sum(archive));

        EtcdPrograms.Release release =
                installer().unpack(VERSION, INSTALL, options(Optional.of(GIVEN)), out);
        files.with(GIVEN.toString(), archive("evil"));

        assertEquals(
                "3.6.8", new String(release.program("etcd").orElseThrow(), StandardCharsets.UTF_8));
    }

    @Test
    void aGivenArchiveThatIsAnotherOneLeavesNothing() {
        files.with(GIVEN.toString(), archive("3.6.8"));
        pinned = Map.of(RELEASE.archive(), sum(archive("another")));
        assertThrows(HostException.class, this::installGiven);
        assertEquals(List.of(GIVEN), files.files());
    }
}
