package io.kjadm.cli.kube;

import io.kjadm.cli.console.Failure;
import io.kjadm.cli.console.ProgramVersion;
import io.kjadm.cli.kube.RunSubject.JoinCommands;
import io.kjadm.cli.output.Fields;
import io.kjadm.core.error.PreflightException.FailedCheck;
import io.kjadm.core.host.FileChanges.Change;
import io.kjadm.core.timing.Span;
import io.kjadm.core.timing.TimingsFile;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.ProblemReason;

import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
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
        return new Fields()
                .put("command", run.command())
                .put("succeeded", run.failure().isEmpty())
                .put("dryRun", dryRun)
                .put("kjadmVersion", ProgramVersion.current().version())
                .put("began", run.began().truncatedTo(ChronoUnit.MILLIS).toString())
                .put("seconds", TimingsFile.seconds(run.duration()))
                .ifAny("nodeName", subject.nodeName())
                .ifAny("controlPlane", subject.controlPlane())
                .ifAny("kubernetesVersion", subject.version())
                .ifAny("previousKubernetesVersion", subject.from())
                .ifAny("etcd", subject.etcd().get(), RunListing::etcd)
                .put("phases", phases(), RunListing::phase)
                .put("files", run.files(), RunListing::file)
                .ifAny("joinCommands", subject.joinCommands(), RunListing::commands)
                .ifAny("problem", run.failure(), RunListing::problem)
                .ownObject(KIND);
    }

    private static Fields etcd(MemberIds ids) {
        return new Fields()
                .put("memberID", ids.memberId().toString())
                .put("clusterID", ids.clusterId());
    }

    private List<Span> phases() {
        return run.spans().stream()
                .filter(span -> span.kind() == Span.Kind.PHASE)
                .toList();
    }

    private static Fields phase(Span span) {
        return new Fields()
                .put("name", span.name())
                .put("seconds", TimingsFile.seconds(span.end().minus(span.begin())));
    }

    private static Fields file(Change change) {
        return new Fields()
                .put("path", change.path().toString())
                .put("action", change.action().name().toLowerCase(Locale.ROOT))
                .ifAny("from", change.from().map(Path::toString));
    }

    private static Fields commands(JoinCommands commands) {
        return new Fields()
                .put("worker", commands.worker())
                .ifAny("controlPlane", commands.controlPlane());
    }

    private static Fields problem(Failure failure) {
        return new Fields()
                .put("kind", failure.kind().text())
                .ifAny("phase", failure.phase())
                .ifAny("reason", failure.problem().reason().map(ProblemReason::text))
                .put("what", failure.problem().what())
                .put("why", failure.problem().why())
                .put("next", failure.problem().next())
                .ifAny("checks", failure.checks(), RunListing::check);
    }

    private static Fields check(FailedCheck check) {
        return new Fields().put("name", check.name()).put("message", check.message());
    }
}
