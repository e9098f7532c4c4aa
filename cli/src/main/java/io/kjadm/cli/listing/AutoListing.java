package io.kjadm.cli.listing;

import io.kjadm.cli.console.TextTable;
import io.kjadm.cli.output.OutputFormat;
import io.kjadm.core.value.GoDuration;
import io.kjadm.etcd.auto.AutoDecider.Asked;
import io.kjadm.etcd.auto.AutoDecider.Outcome;
import io.kjadm.etcd.auto.AutoFacts.Seen;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Charter.Open;
import io.kjadm.etcd.auto.Entry;
import io.kjadm.etcd.auto.EntryBody;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.Seat;
import io.kjadm.etcd.auto.Verdict;
import io.kjadm.etcd.auto.WaitCode;

import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The automatic mode as its commands show it. */
public final class AutoListing {

    private final String name;
    private final Charter charter;
    private final List<Seen> machines;
    private final Optional<String> unsafe;

    /**
     * Of a cluster.
     *
     * @param name     of the cluster
     * @param machines that have reported
     * @param unsafe   why the log cannot be the one that machines have read; empty if it can
     */
    public AutoListing(
            String name, Charter charter, Map<MachineId, Seen> machines, Optional<String> unsafe) {
        this.name = name;
        this.charter = charter;
        this.machines = machines.values().stream()
                .sorted(Comparator.comparing(
                                (Seen seen) -> seen.report().member().hostname())
                        .thenComparing(seen -> seen.report().id()))
                .toList();
        this.unsafe = unsafe;
    }

    /** For a person: the cluster in one line, then a line for each machine. */
    public String text() {
        StringBuilder text = new StringBuilder("Cluster %s: %s, %d of %d voters, etcd %s wanted\n"
                .formatted(
                        name,
                        phase(),
                        charter.voters().size(),
                        charter.seed().spec().nodes(),
                        charter.seed().spec().version()));
        unsafe.ifPresent(why -> text.append(
                "%s: %s; 'kjadm etcd auto repair-log' on a machine that has read most puts back what was deleted\n"
                        .formatted(WaitCode.UNSAFE_STORE.text(), why)));
        charter.pause().ifPresent(open -> text.append(pause(open) + "\n"));
        charter.members()
                .held()
                .ifPresent(slot -> text.append(
                        "Others have removed a voter (slot %d): 'kjadm etcd auto resume' lets machines join\n"
                                .formatted(slot)));
        charter.change()
                .ifPresent(open -> text.append("Machine %s %s (slot %d)\n"
                        .formatted(open.body().actor(), open.body().text(), open.slot())));
        if (!machines.isEmpty() && machines.stream().noneMatch(Seen::reports)) {
            text.append(
                    "No machine reports. The age of a report is by the clock of this machine: check it first, then the daemons ('systemctl status kjadm-etcd-auto')\n");
        }
        TextTable table =
                new TextTable(List.of("HOST", "ADDRESS", "MEMBER", "ETCD", "REPORT", "DOES"));
        for (Seen seen : machines) {
            MachineReport report = seen.report();
            table.row(List.of(
                    report.member().hostname(),
                    report.member().address(),
                    charter.seat(report.id())
                            .map(Seat::id)
                            .map(Object::toString)
                            .orElse("-"),
                    seen.reports()
                            ? report.member().unit().name().toLowerCase(Locale.ROOT)
                            : "unknown",
                    "%ds ago".formatted(Math.max(0, seen.age().toSeconds())),
                    seen.reports() ? does(report) : "does not report; last: " + does(report)));
        }
        return text.append(table.text()).toString();
    }

    /** A pause that is open, in words. */
    public static String pause(Open<EntryBody.Pause> open) {
        EntryBody.Pause pause = open.body();
        return "Paused%s (slot %d)%s"
                .formatted(
                        pause.lasts()
                                .map(time -> " for " + GoDuration.text(time))
                                .orElse(""),
                        open.slot(),
                        pause.reason().isEmpty() ? "" : ": " + pause.reason());
    }

    private String phase() {
        return switch (charter.phase()) {
            case NONE -> "not formed";
            case FORMING -> "forming (generation %d)".formatted(charter.generation());
            case OPEN -> "open (generation %d)".formatted(charter.generation());
            case ENDING ->
                "generation %d ends"
                        .formatted(charter.ending().orElseThrow().began().generation());
            case RETIRED -> "the automatic mode has ended";
        };
    }

    private static String does(MachineReport report) {
        return report.doing()
                .step()
                .map("$ %s"::formatted)
                .or(() -> report.doing()
                        .code()
                        .map(code -> code.text() + ": " + report.doing().text()))
                .orElse(report.doing().text());
    }

    /** For programs. */
    public Map<String, Object> object() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", name);
        fields.put("version", charter.seed().spec().version().toString());
        fields.put("nodes", charter.seed().spec().nodes());
        fields.put("phase", charter.phase().name());
        fields.put("generation", charter.generation());
        fields.put("slot", charter.tail().slot());
        unsafe.ifPresent(why -> fields.put("unsafe", why));
        charter.cluster().ifPresent(id -> fields.put("clusterID", id));
        charter.pause().ifPresent(open -> {
            fields.put("pause", open.slot());
            fields.put("pauseReason", open.body().reason());
            open.body().lasts().ifPresent(time -> fields.put("pauseSeconds", time.toSeconds()));
        });
        charter.members().held().ifPresent(slot -> fields.put("held", slot));
        charter.change().map(Open::slot).ifPresent(slot -> fields.put("change", slot));
        fields.put("voters", charter.voters().stream().map(AutoListing::seat).toList());
        fields.put("machines", machines.stream().map(this::machine).toList());
        return OutputFormat.ownObject("EtcdAutoStatus", fields);
    }

    private static Map<String, Object> seat(Seat seat) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("member", seat.id().toString());
        fields.put("name", seat.name());
        seat.machine().ifPresent(machine -> fields.put("machine", machine.toString()));
        fields.put(
                "clientURLs", seat.clientUrls().stream().map(Object::toString).toList());
        return fields;
    }

    private Map<String, Object> machine(Seen seen) {
        MachineReport report = seen.report();
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", report.id().toString());
        fields.put("host", report.member().hostname());
        fields.put("address", report.member().address());
        fields.put("unit", report.member().unit().name());
        fields.put("ready", report.ready().ok());
        fields.put("missing", report.ready().missing());
        fields.put("reportAgeSeconds", Math.max(0, seen.age().toSeconds()));
        report.doing().step().ifPresent(step -> fields.put("command", step));
        report.doing().code().map(WaitCode::text).ifPresent(code -> fields.put("waits", code));
        fields.put("text", report.doing().text());
        return fields;
    }

    /** Each rule, and what it says. */
    public static String explain(Outcome outcome) {
        TextTable table = new TextTable(List.of("RULE", "APPLIES", "WHY"));
        for (Asked asked : outcome.verdicts()) {
            table.row(
                    switch (asked.verdict()) {
                        case Verdict.Applies(var decision) ->
                            List.of(
                                    asked.rule().name(),
                                    decides(asked, outcome, "yes"),
                                    decision.why());
                        case Verdict.Later(var after, var decision) ->
                            List.of(
                                    asked.rule().name(),
                                    decides(
                                            asked,
                                            outcome,
                                            "after %d s".formatted(after.toSeconds())),
                                    decision.why());
                        case Verdict.No(String why) -> List.of(asked.rule().name(), "no", why);
                    });
        }
        return table.text();
    }

    private static String decides(Asked asked, Outcome outcome, String text) {
        return asked.rule() == outcome.rule() ? text + ", decides" : text;
    }

    /** An entry of the log, in lines. */
    public static String entry(Entry entry) {
        List<String> lines = new ArrayList<>();
        lines.add("%d  %s  %s  %s"
                .formatted(
                        entry.place().slot(),
                        entry.author().at().truncatedTo(ChronoUnit.SECONDS),
                        entry.author().machine().map(Object::toString).orElse("operator"),
                        text(entry.body())));
        lines.add("    " + entry.why());
        if (!entry.command().isEmpty()) {
            lines.add("    $ " + entry.command());
        }
        return lines.stream().map(line -> line + "\n").collect(Collectors.joining());
    }

    private static String text(EntryBody body) {
        return switch (body) {
            case EntryBody.Form form ->
                "form generation %d with member %s %s"
                        .formatted(
                                form.generation(), form.seat().id(), form.seat().name());
            case EntryBody.Adopt adopt ->
                "adopt cluster %s: voters %s".formatted(adopt.cluster(), names(adopt.voters()));
            case EntryBody.Claim claim -> "claim member %s".formatted(claim.member());
            case EntryBody.Ready ready -> "ready generation %d".formatted(ready.generation());
            case EntryBody.Abandon abandon ->
                "abandon generation %d".formatted(abandon.generation());
            case EntryBody.Change change ->
                "change: machine %s %s".formatted(change.actor(), change.text());
            case EntryBody.Done done ->
                "done with the change of slot %d: voters %s"
                        .formatted(done.change(), names(done.voters()));
            case EntryBody.Observed observed ->
                "others have changed the members: voters %s".formatted(names(observed.voters()));
            case EntryBody.Pause pause ->
                pause.reason().isEmpty() ? "pause" : "pause: " + pause.reason();
            case EntryBody.Resume resume -> "resume after slot " + resume.pause();
            case EntryBody.Spec wanted ->
                "the cluster is to have " + wanted.spec().text();
            case EntryBody.Restore restore -> text(restore);
            case EntryBody.Fenced fenced ->
                "fenced: member %s of generation %d is stopped for good"
                        .formatted(fenced.member(), fenced.generation());
            case EntryBody.Retire retire ->
                retire.reason().isEmpty() ? "retire" : "retire: " + retire.reason();
        };
    }

    private static String names(List<Seat> seats) {
        return seats.stream().map(Seat::name).collect(Collectors.joining(", "));
    }

    private static String text(EntryBody.Restore restore) {
        String source = switch (restore.source().kind()) {
            case SURVIVOR -> "with the data of machine " + restore.founder().orElseThrow();
            case SNAPSHOT ->
                "with snapshot " + restore.source().snapshot().orElseThrow().name();
            case NONE -> "taken back";
        };
        return "restore generation %d %s; lost: %s%s"
                .formatted(
                        restore.generation(),
                        source,
                        restore.lost(),
                        restore.reason().isEmpty() ? "" : ": " + restore.reason());
    }
}
