package io.kjadm.core.snapshot.foreign;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.DataInUse;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.JsonInput;
import io.kjadm.etcd.EtcdVersion;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Finds out which tool has left a snapshot in a file or a folder; changes nothing. */
public final class ForeignSnapshots {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path DATABASE = Path.of("member", "snap", "db");
    private static final String MANAGER_DATA = "etcd.backup.gz";
    private static final String MANAGER_META = "_etcd_backup.meta";
    /** {@code etcd-snapshot-NODE-SECONDS}; on demand any name stands before the node. */
    private static final Pattern K3S = Pattern.compile(".+-(\\d{10})(\\.zip)?");

    private static final int SHOWN = 5;

    private final HostFiles files;

    public ForeignSnapshots(HostFiles files) {
        this.files = files;
    }

    /**
     * Looks at a file or a folder.
     *
     * @param format that it has to be; found out if empty
     * @throws HostException  if nothing is there, or an etcd uses it
     * @throws UsageException if it is no snapshot, or not one of that format
     */
    public ForeignSnapshot find(Path path, Optional<ForeignFormat> format) {
        if (!files.exists(path)) {
            throw new HostException(
                    "there is no " + path, "", "name a file or a directory that is there");
        }
        ForeignFormat found = format.orElseGet(() -> detect(path));
        return switch (found) {
            case DATADIR -> dataDir(path);
            case ETCD_MANAGER -> etcdManager(path);
            case GARDENER -> gardener(path);
            case K3S -> k3s(path);
            case ETCDCTL -> file(found, requireFile(path), Optional.empty(), List.of());
        };
    }

    private ForeignFormat detect(Path path) {
        if (files.isDirectory(path)) {
            return detectFolder(path);
        }
        String name = path.getFileName().toString();
        if (path.toAbsolutePath().endsWith(DATABASE)) {
            return ForeignFormat.DATADIR;
        }
        if (name.equals(MANAGER_DATA)) {
            return ForeignFormat.ETCD_MANAGER;
        }
        if (GardenerName.parse(name).isPresent()) {
            return ForeignFormat.GARDENER;
        }
        return K3S.matcher(name).matches() ? ForeignFormat.K3S : ForeignFormat.ETCDCTL;
    }

    private ForeignFormat detectFolder(Path folder) {
        if (database(folder).isPresent()) {
            return ForeignFormat.DATADIR;
        }
        if (files.exists(folder.resolve(MANAGER_DATA))
                || !managerBackups(folder).isEmpty()) {
            return ForeignFormat.ETCD_MANAGER;
        }
        if (!gardenerNames(folder).isEmpty()) {
            return ForeignFormat.GARDENER;
        }
        throw new UsageException(
                "nothing in %s is known as a snapshot of etcd".formatted(folder),
                "it is neither a data directory nor a backup of etcd-manager or Gardener",
                "name the file itself");
    }

    private Path requireFile(Path path) {
        if (files.isDirectory(path)) {
            throw new UsageException(
                    "%s is a directory".formatted(path), "", "name the file of the snapshot in it");
        }
        return path;
    }

    private ForeignSnapshot file(
            ForeignFormat format, Path file, Optional<Instant> told, List<String> remarks) {
        return new ForeignSnapshot(format, file, taken(file, told), Optional.empty(), remarks);
    }

    private Instant taken(Path file, Optional<Instant> told) {
        return told.or(() -> files.modified(file)).orElse(Instant.EPOCH);
    }

    // ---- a data directory

    /** In a data directory, in kubeadm's copy of one, or the file itself. */
    private Optional<Path> database(Path path) {
        if (!files.isDirectory(path)) {
            return Optional.of(path);
        }
        return List.of(path.resolve(DATABASE), path.resolve("etcd").resolve(DATABASE)).stream()
                .filter(files::exists)
                .findFirst();
    }

    private ForeignSnapshot dataDir(Path path) {
        Path database = database(path)
                .orElseThrow(() -> new UsageException(
                        "%s is no data directory of etcd".formatted(path),
                        "there is no %s in it".formatted(DATABASE),
                        "name the directory that has it, or that file"));
        if (database.toAbsolutePath().endsWith(DATABASE)) {
            Path dataDir = database.toAbsolutePath().getParent().getParent().getParent();
            new DataInUse(files).by(dataDir).ifPresent(user -> {
                throw new HostException(
                        "the database of %s is in use".formatted(dataDir),
                        user + ": a copy of it would be torn",
                        "take a snapshot of that etcd ('kjadm etcd snapshot save'), or stop it first");
            });
        }
        return file(
                ForeignFormat.DATADIR,
                database,
                Optional.empty(),
                List.of(
                        "What etcd had written to its log alone, at most the last moments before it ended, is not in its database"));
    }

    // ---- etcd-manager

    private List<Path> managerBackups(Path folder) {
        return files.list(folder).stream()
                .filter(entry -> files.exists(entry.resolve(MANAGER_DATA)))
                .toList();
    }

    private ForeignSnapshot etcdManager(Path path) {
        Path folder = files.isDirectory(path) ? path : path.toAbsolutePath().getParent();
        Path data = folder.resolve(MANAGER_DATA);
        if (!files.exists(data)) {
            List<Path> backups = managerBackups(folder);
            throw new UsageException(
                    backups.isEmpty()
                            ? "there is no %s in %s".formatted(MANAGER_DATA, folder)
                            : "%s has %d backups".formatted(folder, backups.size()),
                    backups.reversed().stream()
                            .limit(SHOWN)
                            .map(Path::toString)
                            .collect(Collectors.joining(", ")),
                    "name the directory of one of them");
        }
        JsonNode meta = managerMeta(folder.resolve(MANAGER_META));
        return new ForeignSnapshot(
                ForeignFormat.ETCD_MANAGER,
                data,
                taken(data, seconds(meta.path("timestamp"))),
                version(meta.path("etcdVersion").asText("")),
                List.of());
    }

    /** Written last: a backup without it was not finished. */
    private JsonNode managerMeta(Path file) {
        String text = files.read(file)
                .orElseThrow(() -> new UsageException(
                        "the backup of etcd-manager is not finished",
                        "there is no %s, which is written last".formatted(file),
                        "choose another one; what is there can be tried with --format etcdctl"));
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new UsageException(
                    "%s cannot be read".formatted(file),
                    JsonInput.fault(e),
                    "choose another backup, or name the file itself with --format etcdctl");
        }
    }

    /** A 64-bit number of a protocol buffer is a text in its JSON. */
    private static Optional<Instant> seconds(JsonNode node) {
        long seconds = node.asLong(0);
        return seconds > 0 ? Optional.of(Instant.ofEpochSecond(seconds)) : Optional.empty();
    }

    private static Optional<EtcdVersion> version(String text) {
        try {
            return Optional.of(EtcdVersion.parse(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    // ---- k3s

    private ForeignSnapshot k3s(Path path) {
        Path file = requireFile(path);
        Matcher name = K3S.matcher(file.getFileName().toString());
        return file(
                ForeignFormat.K3S,
                file,
                name.matches()
                        ? Optional.of(Instant.ofEpochSecond(Long.parseLong(name.group(1))))
                        : Optional.empty(),
                List.of());
    }

    // ---- Gardener

    /** A file beside its name. */
    private record Gardener(Path file, GardenerName name) {}

    private List<Gardener> gardenerNames(Path folder) {
        return files.list(folder).stream()
                .flatMap(file -> GardenerName.parse(file.getFileName().toString())
                        .map(name -> new Gardener(file, name))
                        .stream())
                .toList();
    }

    private ForeignSnapshot gardener(Path path) {
        Gardener base = files.isDirectory(path)
                ? gardenerNames(path).stream()
                        .filter(one -> one.name.full())
                        .max(Comparator.comparing((Gardener one) -> one.name.to()))
                        .orElseThrow(() -> new UsageException(
                                "%s has no full snapshot of Gardener".formatted(path),
                                "no file in it is called Full-…",
                                "name the directory or the file that is one"))
                : GardenerName.parse(path.getFileName().toString())
                        .map(name -> new Gardener(path, name))
                        .orElseThrow(() -> new UsageException(
                                "%s does not have the name of a Gardener snapshot".formatted(path),
                                "",
                                "rename it to Full-FROM-TO-SECONDS, or use --format etcdctl"));
        requireReadable(base);
        return file(
                ForeignFormat.GARDENER, base.file, Optional.of(base.name.taken()), missing(base));
    }

    private static void requireReadable(Gardener base) {
        if (!base.name.full()) {
            throw new UsageException(
                    "%s is no snapshot".formatted(base.file),
                    "it has the changes of the revisions %d to %d alone"
                            .formatted(base.name.from(), base.name.to()),
                    "name the full one that they follow, Full-…; to have the changes too, restore with etcd-backup-restore and take a snapshot of that");
        }
        if (base.name.lzw()) {
            throw new UsageException(
                    "%s cannot be read".formatted(base.file),
                    "it is compressed with LZW (.Z), which this program does not know",
                    "have etcd-backup-restore copy it with --compression-policy=gzip, or unpack it and name it without .Z");
        }
    }

    /** The changes since are not played: it is told which. */
    private List<String> missing(Gardener base) {
        Path folder = base.file.toAbsolutePath().getParent();
        List<GardenerName> later = gardenerNames(folder).stream()
                .map(Gardener::name)
                .filter(name -> !name.full() && name.to() > base.name.to())
                .toList();
        return later.isEmpty()
                ? List.of()
                : List.of(
                        "Only the full snapshot is taken: the changes of the revisions %d to %d, in %d other files of Gardener, are not in it"
                                .formatted(
                                        base.name.to() + 1,
                                        later.stream()
                                                .mapToLong(GardenerName::to)
                                                .max()
                                                .getAsLong(),
                                        later.size()));
    }

    /**
     * The name of a file of Gardener's etcd-backup-restore, which tells what is in it:
     * {@code Full-00000000-00812044-1763634299.gz}.
     *
     * @param full   a snapshot; else the changes between two revisions
     * @param from   revision of the first change that is in it
     * @param to     revision of the last one
     * @param taken  in whole seconds
     * @param suffix of the compression, with its dot, or empty
     */
    private record GardenerName(boolean full, long from, long to, Instant taken, String suffix) {

        private static final Pattern FORM = Pattern.compile(
                "(Full|Incr)-(\\d{8,18})-(\\d{8,18})-(\\d{1,12})(\\.gz|\\.zlib|\\.Z)?(\\.final)?");
        private static final String LZW = ".Z";

        /** Reads one; empty if it is none. */
        static Optional<GardenerName> parse(String name) {
            Matcher matcher = FORM.matcher(name);
            return matcher.matches()
                    ? Optional.of(new GardenerName(
                            matcher.group(1).equals("Full"),
                            Long.parseLong(matcher.group(2)),
                            Long.parseLong(matcher.group(3)),
                            Instant.ofEpochSecond(Long.parseLong(matcher.group(4))),
                            Optional.ofNullable(matcher.group(5)).orElse("")))
                    : Optional.empty();
        }

        /** Compressed in a way that no JDK reads. */
        boolean lzw() {
            return suffix.equals(LZW);
        }
    }
}
