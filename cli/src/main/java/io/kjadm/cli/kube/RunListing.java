package io.kjadm.cli.kube;

import io.kjadm.cli.console.Failure;
import io.kjadm.cli.console.ProgramVersion;
import io.kjadm.cli.kube.RunSubject.JoinCommands;
import io.kjadm.cli.output.OutputFormat;
import io.kjadm.core.error.PreflightException.FailedCheck;
import io.kjadm.core.host.FileChanges.Change;
import io.kjadm.core.timing.Span;
import io.kjadm.core.timing.TimingsFile;
import io.kjadm.etcd.MemberIds;

import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A run as the object of {@code -o}: {@code docs/run-result.schema.json}. What is not known has no
 * field.
 *
 * @param dryRun  whether it changed nothing
 * @param subject what is known when the run has ended
 */
public record RunListing(RunSummary run, boolean dryRun, RunSubject subject) {

    private static final String KIND = "RunResult";

    public Map<String, Object> object() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("command", run.command());
        fields.put("succeeded", run.failure().isEmpty());
        fields.put("dryRun", dryRun);
        fields.put("kjadmVersion", ProgramVersion.current().version());
        fields.put("began", run.began().truncatedTo(ChronoUnit.MILLIS).toString());
        fields.put("seconds", TimingsFile.seconds(run.duration()));
        subject.nodeName().ifPresent(name -> fields.put("nodeName", name));
        subject.controlPlane().ifPresent(is -> fields.put("controlPlane", is));
        subject.version().ifPresent(version -> fields.put("kubernetesVersion", version));
        subject.from().ifPresent(version -> fields.put("previousKubernetesVersion", version));
        subject.etcd().get().ifPresent(ids -> fields.put("etcd", etcd(ids)));
        fields.put("phases", phases());
        fields.put("files", run.files().stream().map(RunListing::file).toList());
        if (!subject.joinCommands().isEmpty()) {
            fields.put(
                    "joinCommands",
                    subject.joinCommands().stream().map(RunListing::commands).toList());
        }
        run.failure().ifPresent(failure -> fields.put("problem", problem(failure)));
        return OutputFormat.ownObject(KIND, fields);
    }

    private static Map<String, Object> etcd(MemberIds ids) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("memberID", ids.memberId().toString());
        fields.put("clusterID", ids.clusterId());
        return fields;
    }

    private List<Map<String, Object>> phases() {
        return run.spans().stream()
                .filter(span -> span.kind() == Span.Kind.PHASE)
                .map(RunListing::phase)
                .toList();
    }

    private static Map<String, Object> phase(Span span) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", span.name());
        fields.put("seconds", TimingsFile.seconds(span.end().minus(span.begin())));
        return fields;
    }

    private static Map<String, Object> file(Change change) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("path", change.path().toString());
        fields.put("action", change.action().name().toLowerCase(Locale.ROOT));
        change.from().ifPresent(from -> fields.put("from", from.toString()));
        return fields;
    }

    private static Map<String, Object> commands(JoinCommands commands) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("worker", commands.worker());
        commands.controlPlane().ifPresent(command -> fields.put("controlPlane", command));
        return fields;
    }

    private static Map<String, Object> problem(Failure failure) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("kind", failure.kind().text());
        failure.phase().ifPresent(phase -> fields.put("phase", phase));
        failure.problem().reason().ifPresent(reason -> fields.put("reason", reason.text()));
        fields.put("what", failure.problem().what());
        fields.put("why", failure.problem().why());
        fields.put("next", failure.problem().next());
        if (!failure.checks().isEmpty()) {
            fields.put(
                    "checks", failure.checks().stream().map(RunListing::check).toList());
        }
        return fields;
    }

    private static Map<String, Object> check(FailedCheck check) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", check.name());
        fields.put("message", check.message());
        return fields;
    }
}
