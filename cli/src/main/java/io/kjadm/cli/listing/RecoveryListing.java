package io.kjadm.cli.listing;

import io.kjadm.cli.console.TextTable;
import io.kjadm.cli.output.Fields;
import io.kjadm.core.recover.Diagnoses;
import io.kjadm.core.recover.EvidenceJson;
import io.kjadm.core.recover.RecoveryPlan;
import io.kjadm.core.recover.RecoveryReport;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.recover.DiskEvidence;
import io.kjadm.etcd.recover.MemberFacts;
import io.kjadm.etcd.recover.MemberFacts.Progress;
import io.kjadm.etcd.recover.MemberFacts.SeenDisk;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** What {@code etcd recover} shows. */
public record RecoveryListing(RecoveryReport report) {

    private static final String UNKNOWN = "?";
    private static final List<String> HEADER = List.of(
            "MEMBER", "ID", "ROLE", "ANSWERS", "DISK", "ENTRY", "LAST ENTRY", "REVISION", "GONE");

    /** Evidence, what is wrong, and the plans. */
    public String text() {
        StringBuilder text = new StringBuilder();
        TextTable table = new TextTable(HEADER);
        report.facts().members().forEach(member -> table.row(row(member)));
        text.append(report.facts().members().isEmpty() ? "" : table.text() + "\n");
        line(text, "Cluster:", String.join(", ", report.facts().clusters().keySet()));
        line(
                text,
                "Quorum:",
                "%d of %d voters%s"
                        .formatted(
                                report.facts().quorum().size(),
                                report.facts().quorum().voters(),
                                report.facts().hasQuorum() ? "" : fence()));
        report.facts()
                .alarms()
                .forEach(alarm -> line(
                        text,
                        "Alarm:",
                        "%s (member %s)".formatted(alarm.kind(), alarm.memberId())));
        report.facts().members().stream()
                .filter(member -> !member.answers() && !member.silence().isEmpty())
                .forEach(member ->
                        line(text, "No answer:", member.label() + ": " + member.silence()));
        report.notes().forEach(note -> line(text, "Note:", note));
        line(
                text,
                "Seen on:",
                String.join(
                        ", ",
                        report.evidence().stream()
                                .map(node -> "%s (%s)".formatted(node.node(), node.taken()))
                                .toList()));
        line(text, "Diagnosis:", Diagnoses.name(report.diagnosis()));
        line(text, "", Diagnoses.sentence(report.facts(), report.diagnosis()));
        int number = 0;
        for (RecoveryPlan plan : report.plans()) {
            number++;
            text.append("\nPlan %d: %s\n".formatted(number, plan.title()));
            for (int step = 0; step < plan.steps().size(); step++) {
                text.append("  %d. %s\n".formatted(step + 1, plan.steps().get(step)));
            }
            text.append("  Lost is %s\n".formatted(plan.loses()));
        }
        return text.toString();
    }

    private String fence() {
        return "; a survivor may start a new cluster when %d are given up (--declare-lost): %d are"
                .formatted(report.facts().fence(), report.facts().lost().size());
    }

    private static void line(StringBuilder text, String what, String value) {
        text.append("%-12s%s\n".formatted(what, value.isEmpty() ? UNKNOWN : value));
    }

    private static List<String> row(MemberFacts member) {
        return List.of(
                member.label(),
                member.member().id().isNone() ? UNKNOWN : member.member().id().toString(),
                member.member().learner() ? "learner" : "voter",
                answers(member),
                disk(member),
                progress(member, progress -> Long.toString(progress.kept())),
                progress(
                        member,
                        progress -> "%d/%d".formatted(progress.lastTerm(), progress.lastIndex())),
                progress(
                        member,
                        progress -> progress.revision().stream()
                                .mapToObj(Long::toString)
                                .findFirst()
                                .orElse(UNKNOWN)),
                switch (member.loss()) {
                    case NONE -> "no";
                    case SEEN -> "seen";
                    case DECLARED -> "declared";
                });
    }

    private static String progress(MemberFacts member, Function<Progress, String> what) {
        return member.progress().map(what).orElse(UNKNOWN);
    }

    private static String answers(MemberFacts member) {
        if (member.status().filter(MemberStatus::leads).isPresent()) {
            return "leads";
        }
        return member.led() ? "follows" : member.answers() ? "no leader" : "no response";
    }

    private static String disk(MemberFacts member) {
        if (member.damage().isPresent()) {
            return "damaged";
        }
        return member.disk()
                .map(SeenDisk::evidence)
                .map(disk -> switch (disk) {
                    case DiskEvidence.Empty _ -> "empty";
                    case DiskEvidence.Unreadable _ -> "unreadable";
                    case DiskEvidence.Held _ ->
                        member.loss() == MemberFacts.Loss.SEEN ? "another's data" : "data";
                })
                .orElse("not seen");
    }

    /** The whole as one object. */
    public Map<String, Object> object() {
        Fields quorum = new Fields()
                .put("voters", report.facts().quorum().voters())
                .put("needed", report.facts().quorum().size())
                .put("goneForGood", report.facts().lost().size())
                .put("goneForNewCluster", report.facts().fence());
        return new Fields()
                .put("diagnosis", Diagnoses.name(report.diagnosis()))
                .put("healthy", report.healthy())
                .put("summary", Diagnoses.sentence(report.facts(), report.diagnosis()))
                .put("quorum", quorum)
                .put("clusterIDs", List.copyOf(report.facts().clusters().keySet()))
                .put("members", report.facts().members(), RecoveryListing::fields)
                .put("notes", report.notes())
                .put("plans", report.plans(), RecoveryListing::fields)
                .put(
                        "evidence",
                        report.evidence().stream().map(EvidenceJson::fields).toList())
                .ownObject("EtcdRecoveryReport");
    }

    private static Fields fields(RecoveryPlan plan) {
        return new Fields()
                .put("title", plan.title())
                .put("steps", plan.steps())
                .put("loses", plan.loses());
    }

    private static Fields fields(MemberFacts member) {
        return new Fields()
                .put("name", member.label())
                .put("id", member.member().id().toString())
                .put("learner", member.member().learner())
                .put("answers", answers(member))
                .put("disk", disk(member))
                .put("gone", member.loss().name().toLowerCase(Locale.ROOT))
                .ifAny("damage", member.damage())
                .put(
                        member.progress(),
                        progress -> new Fields()
                                .put("appliedIndex", progress.applied())
                                .put("commitIndex", progress.commit())
                                .put("lastTerm", progress.lastTerm())
                                .put("lastIndex", progress.lastIndex())
                                .ifAny(
                                        "revision",
                                        progress.revision().stream().boxed().findFirst())
                                .put("committedNotApplied", progress.gap().committed())
                                .put("notCommitted", progress.gap().open()));
    }
}
