package io.kjadm.cli.listing;

import io.kjadm.cli.console.TextTable;
import io.kjadm.cli.output.Fields;
import io.kjadm.core.snapshot.SnapshotCatalog.Entry;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.Verification;
import io.kjadm.store.ObjectStore.Unfinished;

import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The snapshots of a store as {@code etcd snapshot list} shows them.
 *
 * @param unfinished writes that are going on, or were killed
 */
public record SnapshotListing(List<Entry> entries, List<Unfinished> unfinished) {

    private static final List<String> HEADER = List.of(
            "NAME", "CLUSTER", "REVISION", "SIZE", "STORED AS", "SIGNED", "VERIFIED", "LABELS");
    /** Of {@code v1/snapshots/CLUSTER/NAME/OBJECT}. */
    private static final int PARTS = 5;

    private static final String NONE = "<none>";
    private static final String NOT_FINISHED = "not finished";

    /** A row for each, the newest last. */
    public String table() {
        TextTable table = new TextTable(HEADER);
        for (Entry entry : entries) {
            table.row(entry.manifest()
                    .map(manifest -> row(entry, manifest))
                    .orElseGet(() -> List.of(
                            entry.name(),
                            entry.clusterId(),
                            "?",
                            "?",
                            entry.fault().isEmpty() ? NOT_FINISHED : "unreadable",
                            NONE,
                            NONE,
                            NONE)));
        }
        others().forEach(other -> table.row(List.of(
                other.getFirst(), other.getLast(), "?", "?", NOT_FINISHED, NONE, NONE, NONE)));
        return table.text();
    }

    /** Name and cluster of what is being written and has no object yet. */
    private List<List<String>> others() {
        return unfinished.stream()
                .map(write -> write.key().split("/"))
                .filter(parts -> parts.length == PARTS)
                .map(parts -> List.of(parts[3], parts[2]))
                .filter(other -> entries.stream()
                        .noneMatch(entry -> entry.name().equals(other.getFirst())
                                && entry.clusterId().equals(other.getLast())))
                .distinct()
                .toList();
    }

    private static List<String> row(Entry entry, SnapshotManifest manifest) {
        return List.of(
                entry.name(),
                entry.clusterId(),
                Long.toString(manifest.plain().content().revision()),
                EtcdListing.size(manifest.stored().bytes()),
                storedAs(manifest),
                entry.signature().word(),
                verified(entry),
                manifest.labels().isEmpty()
                        ? NONE
                        : manifest.labels().entrySet().stream()
                                .map(label -> label.getKey() + "=" + label.getValue())
                                .collect(Collectors.joining(",")));
    }

    private static String storedAs(SnapshotManifest manifest) {
        String compression = manifest.stored().encoding().gzip() ? "gzip" : "db";
        String stored =
                manifest.stored().encoding().encrypted() ? compression + ", age" : compression;
        return manifest.stored().pki().isPresent() ? stored + ", with pki" : stored;
    }

    private static String verified(Entry entry) {
        if (entry.verifications().isEmpty()) {
            return NONE;
        }
        return entry.standing()
                .map(standing -> "%s %s"
                        .formatted(
                                standing.level().word(),
                                standing.at().truncatedTo(ChronoUnit.SECONDS)))
                .orElse("FAILED");
    }

    /** An object for each. */
    public List<Map<String, Object>> objects() {
        return Stream.concat(
                        entries.stream().map(SnapshotListing::fields),
                        others().stream().map(SnapshotListing::fields))
                .map(fields -> fields.ownObject("EtcdSnapshot"))
                .toList();
    }

    private static Fields fields(List<String> other) {
        return new Fields()
                .put("name", other.getFirst())
                .put("clusterID", other.getLast())
                .put("finished", false);
    }

    private static Fields fields(Entry entry) {
        return new Fields()
                .put("name", entry.name())
                .put("clusterID", entry.clusterId())
                .put("finished", entry.manifest().isPresent())
                .ifAny("fault", entry.fault())
                .put(
                        entry.manifest(),
                        manifest -> new Fields()
                                .put("takenAt", manifest.taken().toString())
                                .put("memberID", manifest.origin().memberId().toString())
                                .put("memberName", manifest.origin().memberName())
                                .put("etcdVersion", manifest.origin().etcd().toString())
                                .put("revision", manifest.plain().content().revision())
                                .put(
                                        "compactRevision",
                                        manifest.plain().content().compactRevision())
                                .put("bytes", manifest.plain().bytes())
                                .put("sha256", manifest.plain().sha256())
                                .put("storedBytes", manifest.stored().bytes())
                                .put("storedSha256", manifest.stored().sha256())
                                .put(
                                        "compression",
                                        manifest.stored().encoding().gzip() ? "gzip" : "none")
                                .put("recipients", manifest.stored().encoding().recipients())
                                .put("signed", entry.signature().word())
                                .put("withPKI", manifest.stored().pki().isPresent())
                                .put("labels", manifest.labels()))
                .put("verifications", entry.verifications(), SnapshotListing::fields);
    }

    private static Fields fields(Verification verification) {
        return new Fields()
                .put("level", verification.level().word())
                .put("at", verification.at().toString())
                .put("passed", verification.passed())
                .put("result", verification.result());
    }
}
