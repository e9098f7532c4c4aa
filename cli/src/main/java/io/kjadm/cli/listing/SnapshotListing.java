package io.kjadm.cli.listing;

import io.kjadm.cli.console.TextTable;
import io.kjadm.cli.output.OutputFormat;
import io.kjadm.core.snapshot.SnapshotCatalog.Entry;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.Verification;
import io.kjadm.store.ObjectStore.Unfinished;

import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
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
                .map(fields -> OutputFormat.ownObject("EtcdSnapshot", fields))
                .toList();
    }

    private static Map<String, Object> fields(List<String> other) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", other.getFirst());
        fields.put("clusterID", other.getLast());
        fields.put("finished", false);
        return fields;
    }

    private static Map<String, Object> fields(Entry entry) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", entry.name());
        fields.put("clusterID", entry.clusterId());
        fields.put("finished", entry.manifest().isPresent());
        if (!entry.fault().isEmpty()) {
            fields.put("fault", entry.fault());
        }
        entry.manifest().ifPresent(manifest -> {
            fields.put("takenAt", manifest.taken().toString());
            fields.put("memberID", manifest.origin().memberId().toString());
            fields.put("memberName", manifest.origin().memberName());
            fields.put("etcdVersion", manifest.origin().etcd().toString());
            fields.put("revision", manifest.plain().content().revision());
            fields.put("compactRevision", manifest.plain().content().compactRevision());
            fields.put("bytes", manifest.plain().bytes());
            fields.put("sha256", manifest.plain().sha256());
            fields.put("storedBytes", manifest.stored().bytes());
            fields.put("storedSha256", manifest.stored().sha256());
            fields.put("compression", manifest.stored().encoding().gzip() ? "gzip" : "none");
            fields.put("recipients", manifest.stored().encoding().recipients());
            fields.put("signed", entry.signature().word());
            fields.put("withPKI", manifest.stored().pki().isPresent());
            fields.put("labels", manifest.labels());
        });
        fields.put(
                "verifications",
                entry.verifications().stream()
                        .map(verification -> (Object) fields(verification))
                        .toList());
        return fields;
    }

    private static Map<String, Object> fields(Verification verification) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("level", verification.level().word());
        fields.put("at", verification.at().toString());
        fields.put("passed", verification.passed());
        fields.put("result", verification.result());
        return fields;
    }
}
