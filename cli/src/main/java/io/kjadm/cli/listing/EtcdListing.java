package io.kjadm.cli.listing;

import io.kjadm.cli.console.TextTable;
import io.kjadm.cli.output.Fields;
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
        status.defects().forEach(one -> {
            lines.add("Defects:      %s (%s): %s"
                    .formatted(one.version(), String.join(", ", one.members()), one.advice()));
            one.defects().forEach(defect -> lines.add("              - " + defect.what()));
        });
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

    private static Optional<Fields> change(MembershipLeaseStatus lock) {
        return switch (lock) {
            case MembershipLeaseStatus.Free free -> Optional.empty();
            case MembershipLeaseStatus.Unknown(String why) ->
                Optional.of(new Fields().put("unknown", why));
            case MembershipLeaseStatus.Held held ->
                Optional.of(new Fields()
                        .put("holder", held.holder())
                        .ifAny("since", held.since().map(Instant::toString))
                        .put("renewed", held.renewed().toString())
                        .put("alive", held.alive()));
        };
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
        Fields quorum = new Fields()
                .put("voters", status.voters().quorum().voters())
                .put("healthyVoters", status.voters().healthy())
                .put("needed", status.voters().quorum().size())
                .put("margin", status.margin());
        return new Fields()
                .put("clusterID", status.clusterId())
                .put("healthy", healthy(status))
                .ifAny(
                        "leader",
                        status.voters().leader().map(leader -> leader.id().toString()))
                .put("quorum", quorum)
                .put("alarms", status.alarms(), EtcdAlarmListing::fields)
                .put("members", status.members(), EtcdListing::member)
                .ifAny("change", change(status.lock()), Function.identity())
                .ifAny("disputes", status.disputes())
                .put("defects", status.defects(), EtcdListing::defects)
                .put("time", status.at().toString())
                .ownObject("EtcdStatus");
    }

    private static Fields defects(KnownDefects.Affected affected) {
        return new Fields()
                .put("version", affected.version().toString())
                .put("members", affected.members())
                .put("fixedIn", affected.repaired().toString())
                .put(
                        "known",
                        affected.defects(),
                        defect -> new Fields()
                                .put("id", defect.id())
                                .put("what", defect.what())
                                .put(
                                        "fixedIn",
                                        defect.fixFor(affected.version())
                                                .orElseThrow()
                                                .toString())
                                .put("source", defect.source()));
    }

    /** One object per member. */
    public List<Map<String, Object>> objects() {
        return status.members().stream()
                .map(row -> member(row).ownObject("EtcdMember"))
                .toList();
    }

    private static Fields member(Row row) {
        return new Fields()
                .put("id", row.member().id().toString())
                .put("name", row.member().name())
                .put("role", row.role().text())
                .put("started", row.member().started())
                .put("healthy", row.healthy())
                .put("condition", row.condition())
                .put(
                        "peerURLs",
                        row.member().peerUrls().stream().map(URI::toString).toList())
                .put(
                        "clientURLs",
                        row.member().clientUrls().stream().map(URI::toString).toList())
                .put(
                        row.status(),
                        own -> new Fields()
                                .put("version", own.version().toString())
                                .put("dbSizeBytes", own.dbSizeBytes())
                                .put("raftTerm", own.raftTerm())
                                .put("raftAppliedIndex", own.appliedIndex())
                                .put(
                                        "errors",
                                        own.errors().stream().map(String::strip).toList()))
                .put(
                        row.progress(),
                        progress -> new Fields()
                                .put("lagEntries", progress.lag())
                                .put("lagPercent", lagPercent(progress)))
                .ifAny("addedBy", row.owner(), EtcdListing::owner);
    }

    private static Fields owner(LearnerOwner owner) {
        return new Fields()
                .put("who", owner.who())
                .ifAny("since", owner.since().map(Instant::toString))
                .put("alive", owner.alive());
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
