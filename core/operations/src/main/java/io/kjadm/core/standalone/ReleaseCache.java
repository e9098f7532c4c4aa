package io.kjadm.core.standalone;

import io.kjadm.core.error.Causes;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.value.IpAddresses;
import io.kjadm.etcd.Sha256;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Archives of etcd's releases in the cache, where only root writes. Whatever is unpacked lies there
 * and was hashed there: an archive that an operator names is copied first. Its SHA-256 is that of
 * the release that this program knows; of a release that it does not know, that of a list. A list
 * from the same server proves less, so it counts only where the server proved who it is.
 */
record ReleaseCache(HostFiles files, ReleaseServer server, Path cacheDir, ReleaseSums pinned) {

    private static final String AREA = "download";
    private static final int LONGEST_LIST = 1 << 20;
    private static final long LONGEST_ARCHIVE = 512L << 20;
    private static final int BUFFER = 1 << 16;
    private static final String KNOWN = "the release that kjadm knows";

    /**
     * What the SHA-256 of an archive has to be.
     *
     * @param witness who says so
     */
    private record Expected(String sum, String witness) {}

    /**
     * An archive that may be unpacked; where it is.
     *
     * @throws HostException  if it is not available, or is not what was released
     * @throws UsageException if it would come over plain HTTP and nothing but the server itself
     *         could tell whether it is right
     */
    Path archive(EtcdRelease release, EtcdRunOptions options, Reporter out) {
        if (options.tarball().isPresent()) {
            return given(release, options.tarball().get(), out);
        }
        Path archive = place(release);
        if (files.exists(archive)) {
            Expected expected = expected(
                            release, files.read(list(release)), "SHA256SUMS next to it")
                    .orElseThrow(
                            () -> unverifiable(
                                    archive.toString(),
                                    "kjadm does not know etcd %s, and no SHA256SUMS next to the archive lists it"
                                            .formatted(release.version()),
                                    "put the release's SHA256SUMS next to it, or remove it to download it again"));
            requireSame(archive, sum(archive), expected);
            out.step(AREA, "Using %s: its SHA-256 matches %s".formatted(archive, expected.witness));
            return archive;
        }
        requireProof(release, options, pinned);
        out.step(
                AREA,
                "Downloading %s".formatted(release.url(options.releaseUrl(), release.archive())));
        download(release, options, out);
        return archive;
    }

    private Path place(EtcdRelease release) {
        return cacheDir.resolve(release.tag()).resolve(release.archive());
    }

    private Path list(EtcdRelease release) {
        return place(release).resolveSibling(EtcdRelease.SUMS);
    }

    /**
     * Refuses a release that would come over plain HTTP from another machine, unless this program
     * knows it or the operator accepts that.
     *
     * @throws UsageException as that is for the operator to change
     */
    static void requireProof(EtcdRelease release, EtcdRunOptions options, ReleaseSums pinned) {
        URI url = options.releaseUrl();
        boolean proven = pinned.of(release.archive()).isPresent()
                || url.getScheme().equalsIgnoreCase("https")
                || isLoopback(url.getHost());
        if (!proven && !options.insecureServerAllowed()) {
            throw new UsageException(
                    "%s is not downloaded from %s".formatted(release.archive(), url),
                    "kjadm does not know the SHA-256 of etcd %s, and over plain HTTP others on the network can replace both the archive and its %s"
                            .formatted(release.version(), EtcdRelease.SUMS),
                    "use an https URL, name the archive with --%s, or accept it with --%s"
                            .formatted(Flag.ETCD_TARBALL, Flag.ALLOW_INSECURE_RELEASE_SERVER));
        }
    }

    /** No name is looked up but the one that RFC 6761 reserves. */
    private static boolean isLoopback(String host) {
        return host.equalsIgnoreCase("localhost")
                || IpAddresses.parse(host.replaceAll("^\\[|]$", ""))
                        .filter(InetAddress::isLoopbackAddress)
                        .isPresent();
    }

    private Optional<Expected> expected(
            EtcdRelease release, Optional<String> list, String listWitness) {
        return pinned.of(release.archive())
                .map(sum -> new Expected(sum, KNOWN))
                .or(() -> list.map(ReleaseSums::parse)
                        .flatMap(sums -> sums.of(release.archive()))
                        .map(sum -> new Expected(sum, listWitness)));
    }

    /** It is hashed while it is copied: where it lies, others may exchange it in between. */
    private Path given(EtcdRelease release, Path path, Reporter out) {
        Path tarball = files.isDirectory(path) ? path.resolve(release.archive()) : path;
        if (!files.exists(tarball)) {
            throw new HostException(
                    "%s does not exist".formatted(tarball),
                    "it was given with --etcd-tarball",
                    "name an archive of etcd's release " + release.archive());
        }
        requireRelease(release, tarball);
        Optional<String> beside = files.read(tarball.resolveSibling(EtcdRelease.SUMS));
        Optional<Expected> expected = expected(release, beside, "SHA256SUMS next to it");
        Path copy = hidden(release, "given");
        String sum = fill(copy, into -> {
            try (InputStream from = files.open(tarball)) {
                copy(from, into);
            }
        });
        if (expected.isEmpty()) {
            out.warn(
                    "%s is not verified: kjadm does not know etcd %s, and no %s next to the archive lists it"
                            .formatted(tarball, release.version(), EtcdRelease.SUMS));
            return copy;
        }
        keep(release, copy, tarball, sum, expected.get());
        out.step(AREA, "SHA-256 of %s matches %s".formatted(tarball, expected.get().witness));
        return place(release);
    }

    /** An archive that somebody has packed in another way shows its version when etcd runs. */
    private void requireRelease(EtcdRelease release, Path tarball) {
        String folder;
        try (InputStream content = files.open(tarball)) {
            folder = ReleaseArchive.folder(content);
        } catch (IOException e) {
            throw ReleaseInstaller.unusable(tarball, e);
        }
        if (folder.matches("etcd-v\\d+\\..*") && !folder.equals(release.folder())) {
            throw new HostException(
                    "%s holds %s".formatted(tarball, folder),
                    "%s is needed".formatted(release.folder()),
                    "name the archive of that release with --%s, or a directory with the archives of several releases"
                            .formatted(Flag.ETCD_TARBALL));
        }
    }

    private Path hidden(EtcdRelease release, String suffix) {
        Path archive = place(release);
        return archive.resolveSibling(".%s.%s".formatted(archive.getFileName(), suffix));
    }

    /** Makes a file in the cache the archive of a release, if it is that. */
    private void keep(EtcdRelease release, Path file, Path shown, String sum, Expected expected) {
        try {
            requireSame(shown, sum, expected);
        } catch (HostException e) {
            files.delete(file);
            throw e;
        }
        Path archive = place(release);
        if (!expected.witness.equals(KNOWN)) {
            files.write(
                    list(release),
                    "%s  %s\n".formatted(sum, release.archive()),
                    FileMode.WORLD_READABLE);
        }
        files.delete(archive);
        files.rename(file, archive);
    }

    private void download(EtcdRelease release, EtcdRunOptions options, Reporter out) {
        Path part = hidden(release, "part");
        try {
            Expected expected = pinned.of(release.archive())
                    .map(sum -> new Expected(sum, KNOWN))
                    .orElseGet(() -> listed(release, options));
            URI url = release.url(options.releaseUrl(), release.archive());
            String sum = fill(part, into -> server.fetch(url, LONGEST_ARCHIVE, into));
            keep(release, part, place(release), sum, expected);
            out.step(
                    AREA,
                    expected.witness.equals(KNOWN)
                            ? "SHA-256 of %s matches %s".formatted(release.archive(), KNOWN)
                            : "SHA-256 of %s matches %s; kjadm does not know this release"
                                    .formatted(release.archive(), expected.witness));
        } catch (HostException e) {
            files.delete(part);
            throw e.getCause() instanceof IOException cause
                    ? unreachable(release, options, Causes.words(cause), e)
                    : e;
        }
    }

    /** The list comes first: an archive of an unlisted release is not downloaded at all. */
    private Expected listed(EtcdRelease release, EtcdRunOptions options) {
        ByteArrayOutputStream list = new ByteArrayOutputStream();
        try {
            server.fetch(release.url(options.releaseUrl(), EtcdRelease.SUMS), LONGEST_LIST, list);
        } catch (IOException e) {
            throw unreachable(release, options, Causes.words(e), e);
        }
        return ReleaseSums.parse(list.toString(StandardCharsets.UTF_8))
                .of(release.archive())
                .map(sum -> new Expected(sum, "SHA256SUMS of the same server"))
                .orElseThrow(() -> unverifiable(
                        release.archive(),
                        "kjadm does not know it, and the server's %s does not list it"
                                .formatted(EtcdRelease.SUMS),
                        "check --version and --release-url"));
    }

    private static HostException unverifiable(String archive, String why, String next) {
        return new HostException("%s cannot be verified".formatted(archive), why, next);
    }

    private HostException unreachable(
            EtcdRelease release, EtcdRunOptions options, String why, Exception cause) {
        return new HostException(
                "etcd %s cannot be downloaded from %s"
                        .formatted(release.version(), options.releaseUrl()),
                why,
                "without a way there, put %s and its %s into %s, or name the archive with --etcd-tarball"
                        .formatted(
                                release.archive(),
                                EtcdRelease.SUMS,
                                cacheDir.resolve(release.tag())),
                cause);
    }

    private static void requireSame(Path archive, String sum, Expected expected) {
        if (!sum.equals(expected.sum)) {
            throw new HostException(
                    "%s is not what was released".formatted(archive),
                    "its SHA-256 is %s, by %s it is %s"
                            .formatted(sum, expected.witness, expected.sum),
                    "find out who changed it; nothing was installed. Remove the file, then run the command again");
        }
    }

    /** Fills a file of the cache; the SHA-256 of what was written to it. */
    private String fill(Path file, HostFiles.Filling content) {
        files.createDirectory(file.getParent(), FileMode.OPEN_DIRECTORY);
        files.delete(file);
        MessageDigest digest = Sha256.digest();
        files.fill(
                file,
                FileMode.WORLD_READABLE,
                into -> content.into(new DigestOutputStream(into, digest)));
        return HexFormat.of().formatHex(digest.digest());
    }

    private String sum(Path file) {
        MessageDigest digest = Sha256.digest();
        try (InputStream content = files.open(file)) {
            copy(content, new DigestOutputStream(OutputStream.nullOutputStream(), digest));
            return HexFormat.of().formatHex(digest.digest());
        } catch (IOException e) {
            throw new HostException("%s cannot be read".formatted(file), Causes.words(e), "", e);
        }
    }

    private static void copy(InputStream from, OutputStream into) throws IOException {
        byte[] buffer = new byte[BUFFER];
        long left = LONGEST_ARCHIVE;
        for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
            left -= read;
            if (left < 0) {
                throw new IOException("it is longer than %d bytes".formatted(LONGEST_ARCHIVE));
            }
            into.write(buffer, 0, read);
        }
    }
}
