package io.kjadm.cli.listing;

import io.kjadm.cli.console.TextTable;
import io.kjadm.cli.output.OutputFormat;
import io.kjadm.core.etcd.commands.EtcdStatus;
import io.kjadm.core.etcd.commands.EtcdStatus.Role;
import io.kjadm.core.etcd.commands.EtcdStatus.Row;
import io.kjadm.core.etcd.commands.LearnerOwner;
import io.kjadm.core.etcd.commands.MembershipLeaseStatus;
import io.kjadm.core.etcd.upkeep.Sizes;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.check.KnownDefects;
import io.kjadm.etcd.join.ReplicationProgress;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The members of etcd as {@code etcd status} and {@code etcd member list} show them. */
public record EtcdListing(EtcdStatus status) {

    private static final List<String> HEADER = List.of(
            "ID",
            "NAME",
            "ROLE",
            "HEALTH",
            "VERSION",
            "DB SIZE",
            "TERM",
            "INDEX",
            "LAG",
            "PEER URLS",
            "CLIENT URLS");
    private static final String NONE = "<none>";
    private static final String UNKNOWN = "?";

    /** A row for each member, whatever it answers. */
    public String table() {
        TextTable table = new TextTable(HEADER);
        for (Row row : status.members()) {
            Member member = row.member();
            table.row(List.of(
                    member.id().toString(),
                    member.started() ? member.name() : NONE,
                    row.role().text(),
                    health(row),
                    answered(row, own -> own.version().toString()),
                    answered(row, own -> size(own.dbSizeBytes())),
                    answered(row, own -> Long.toString(own.raftTerm())),
                    answered(row, own -> Long.toString(own.appliedIndex())),
                    row.progress().map(EtcdListing::lag).orElse(UNKNOWN),
                    joined(member.peerUrls()),
                    joined(member.clientUrls())));
        }
        return table.text();
    }

    /** The table, and below it what concerns the cluster as a whole, a line each. */
    public String report() {
        List<String> lines = new ArrayList<>();
        lines.add("Cluster:      " + (status.clusterId().isEmpty() ? UNKNOWN : status.clusterId()));
        lines.add("Leader:       "
                + status.voters()
                        .leader()
                        .map(leader -> "%s (%s)".formatted(leader.label(), leader.id()))
                        .orElse("none that a majority of the voters agrees on"));
        lines.add("Quorum:       " + quorum());
        lines.add("Alarms:       "
                + (status.alarms().isEmpty()
                        ? "none"
                        : status.alarms().stream()
                                .map(alarm ->
                                        "%s (member %s)".formatted(alarm.kind(), alarm.memberId()))
                                .collect(Collectors.joining(", "))));
        status.members().stream()
                .filter(row -> row.role() == Role.LEARNER)
                .forEach(row -> lines.add("Learner:      " + learner(row)));
        change().ifPresent(line -> lines.add("Change:       " + line));
        status.members().stream()
                .filter(row -> !row.healthy() && row.member().started())
                .forEach(row -> lines.add(
                        "Unhealthy:    %s: %s".formatted(row.member().label(), row.condition())));
        status.disputes().forEach(dispute -> lines.add("Disagreement: " + dispute));
        status.defects()
                .forEach(one -> lines.add("Defects:      " + one.text() + "; " + one.advice()));
        return table() + "\n" + String.join("\n", lines) + "\n";
    }

    /** Who changes the members, where no learner's line has told it. */
    private Optional<String> change() {
        return switch (status.lock()) {
            case MembershipLeaseStatus.Free free -> Optional.empty();
            case MembershipLeaseStatus.Unknown(String why) ->
                Optional.of("unknown who is changing the members: " + why);
            case MembershipLeaseStatus.Held held
            when status.members().stream().anyMatch(row -> row.owner().isPresent()) ->
                Optional.empty();
            case MembershipLeaseStatus.Held held ->
                Optional.of(
                        "%s is changing the members%s%s"
                                .formatted(
                                        held.holder(),
                                        held.since()
                                                .map(since -> ", started " + age(since) + " ago")
                                                .orElse(""),
                                        held.alive()
                                                ? ""
                                                : ", and has not renewed its Lease for a minute by this machine's clock"));
        };
    }

    private static Map<String, Object> change(MembershipLeaseStatus lock) {
        Map<String, Object> fields = new LinkedHashMap<>();
        switch (lock) {
            case MembershipLeaseStatus.Free free -> {}
            case MembershipLeaseStatus.Unknown(String why) -> fields.put("unknown", why);
            case MembershipLeaseStatus.Held held -> {
                fields.put("holder", held.holder());
                held.since().ifPresent(since -> fields.put("since", since.toString()));
                fields.put("renewed", held.renewed().toString());
                fields.put("alive", held.alive());
            }
        }
        return fields;
    }

    private String quorum() {
        String voters = "%d of %d voters are healthy, %d are needed"
                .formatted(
                        status.voters().healthy(),
                        status.voters().quorum().voters(),
                        status.voters().quorum().size());
        return voters
                + (status.margin() < 0
                        ? ": no quorum"
                        : status.margin() == 0
                                ? ": none may fail"
                                : ": %d more may fail".formatted(status.margin()));
    }

    private String learner(Row row) {
        String who = row.owner()
                .map(
                        owner -> "added by " + owner.who()
                                + owner.since()
                                        .map(since -> ", " + age(since) + " ago")
                                        .orElse("")
                                + (owner.alive()
                                        ? ""
                                        : ", which has not renewed its Lease for a minute by this machine's clock"))
                .orElse("unknown who added it, or when");
        return "%s: %s%s"
                .formatted(
                        row.member().describe(),
                        who,
                        row.progress()
                                .map(progress -> "; caught up " + progress)
                                .orElse(""));
    }

    private String age(Instant since) {
        return TokenListing.remaining(Duration.between(since, status.at()));
    }

    /** Whether scripts may go on: a quorum with a leader, and no alarm. */
    static boolean healthy(EtcdStatus status) {
        return status.serves() && status.alarms().isEmpty();
    }

    /** The whole as one object. */
    public Map<String, Object> object() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("clusterID", status.clusterId());
        fields.put("healthy", healthy(status));
        status.voters()
                .leader()
                .ifPresent(leader -> fields.put("leader", leader.id().toString()));
        Map<String, Object> quorum = new LinkedHashMap<>();
        quorum.put("voters", status.voters().quorum().voters());
        quorum.put("healthyVoters", status.voters().healthy());
        quorum.put("needed", status.voters().quorum().size());
        quorum.put("margin", status.margin());
        fields.put("quorum", quorum);
        fields.put("alarms", EtcdAlarmListing.alarms(status));
        fields.put(
                "members",
                status.members().stream().map(row -> (Object) member(row)).toList());
        Map<String, Object> change = change(status.lock());
        if (!change.isEmpty()) {
            fields.put("change", change);
        }
        if (!status.disputes().isEmpty()) {
            fields.put("disputes", status.disputes());
        }
        fields.put(
                "defects",
                status.defects().stream().map(one -> (Object) defects(one)).toList());
        fields.put("time", status.at().toString());
        return OutputFormat.ownObject("EtcdStatus", fields);
    }

    private static Map<String, Object> defects(KnownDefects.Affected affected) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("version", affected.version().toString());
        fields.put("members", affected.members());
        fields.put("fixedIn", affected.repaired().toString());
        fields.put(
                "known",
                affected.defects().stream()
                        .map(defect -> (Object) Map.of(
                                "id",
                                defect.id(),
                                "what",
                                defect.what(),
                                "fixedIn",
                                defect.fixFor(affected.version()).orElseThrow().toString(),
                                "source",
                                defect.source()))
                        .toList());
        return fields;
    }

    /** One object per member. */
    public List<Map<String, Object>> objects() {
        return status.members().stream()
                .map(row -> OutputFormat.ownObject("EtcdMember", member(row)))
                .toList();
    }

    private static Map<String, Object> member(Row row) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", row.member().id().toString());
        fields.put("name", row.member().name());
        fields.put("role", row.role().text());
        fields.put("started", row.member().started());
        fields.put("healthy", row.healthy());
        fields.put("condition", row.condition());
        fields.put(
                "peerURLs", row.member().peerUrls().stream().map(URI::toString).toList());
        fields.put(
                "clientURLs",
                row.member().clientUrls().stream().map(URI::toString).toList());
        row.status().ifPresent(own -> {
            fields.put("version", own.version().toString());
            fields.put("dbSizeBytes", own.dbSizeBytes());
            fields.put("raftTerm", own.raftTerm());
            fields.put("raftAppliedIndex", own.appliedIndex());
            fields.put("errors", own.errors().stream().map(String::strip).toList());
        });
        row.progress().ifPresent(progress -> {
            fields.put("lagEntries", progress.lag());
            fields.put("lagPercent", lagPercent(progress));
        });
        row.owner().ifPresent(owner -> fields.put("addedBy", owner(owner)));
        return fields;
    }

    private static Map<String, Object> owner(LearnerOwner owner) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("who", owner.who());
        owner.since().ifPresent(since -> fields.put("since", since.toString()));
        fields.put("alive", owner.alive());
        return fields;
    }

    private static String health(Row row) {
        if (row.healthy() || row.status().isPresent()) {
            return row.condition();
        }
        return row.member().started() ? "no response" : "not started";
    }

    private static String answered(Row row, Function<MemberStatus, String> what) {
        return row.status().map(what).orElse(UNKNOWN);
    }

    private static String lag(ReplicationProgress progress) {
        return String.format(Locale.ROOT, "%d (%.1f%%)", progress.lag(), lagPercent(progress));
    }

    /** In tenths; what is behind is never shown as nothing. */
    private static double lagPercent(ReplicationProgress progress) {
        if (progress.lag() == 0) {
            return 0;
        }
        return Math.max(0.1, Math.round(progress.lag() * 1000.0 / progress.target()) / 10.0);
    }

    static String size(long bytes) {
        return Sizes.text(bytes);
    }

    private static String joined(List<URI> urls) {
        return urls.isEmpty()
                ? NONE
                : urls.stream().map(URI::toString).collect(Collectors.joining(","));
    }
}
