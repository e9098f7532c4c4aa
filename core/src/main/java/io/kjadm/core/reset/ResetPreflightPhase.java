package io.kjadm.core.reset;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.preflight.InitChecks;
import io.kjadm.core.preflight.Preflight;
import io.kjadm.core.preflight.PreflightHost;

import java.util.function.Consumer;

/** {@code preflight}: does the operator mean it, and may the program do it? */
final class ResetPreflightPhase implements Phase<ResetRun> {

    private final PreflightHost host;
    private final Consumer<String> findings;
    private final Confirmation confirmation;
    private final LastVoterGuard lastMember;

    ResetPreflightPhase(
            PreflightHost host,
            Consumer<String> findings,
            Confirmation confirmation,
            LastVoterGuard lastMember) {
        this.host = host;
        this.findings = findings;
        this.confirmation = confirmation;
        this.lastMember = lastMember;
    }

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                        "preflight",
                        "Run reset pre-flight checks",
                        Flag.IGNORE_PREFLIGHT_ERRORS,
                        Flag.FORCE,
                        Flag.FORCE_LAST_MEMBER,
                        Flag.DRY_RUN)
                .alias("pre-flight");
    }

    @Override
    public ResetRun run(ResetRun run, Reporter out) {
        boolean meant = confirmation.confirm(
                "reset",
                "Changes made to this host by 'kjadm init' or 'kjadm join' will be reverted. "
                        + "Are you sure you want to proceed?");
        if (!meant) {
            throw new UsageException(
                    "the reset was not confirmed",
                    "",
                    "answer y, or use --force to skip the question");
        }
        out.step("preflight", "Running pre-flight checks");
        new Preflight(run.config().ignorePreflightErrors(), findings)
                .run(InitChecks.privileged(host));
        lastMember.check(run, out);
        return run;
    }
}
