package io.kjadm.core.standalone;

import io.kjadm.core.check.Preflight;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.check.EtcdFindings;
import io.kjadm.core.etcd.check.JoinCheckup;
import io.kjadm.core.etcd.check.JoinCheckup.JoiningNode;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.check.Candidate;
import io.kjadm.etcd.check.CheckFacts;
import io.kjadm.etcd.check.EtcdFinding;
import io.kjadm.etcd.check.JoinChecklist;
import io.kjadm.etcd.check.PeerContact;
import io.kjadm.etcd.join.NewMember;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * {@code check-etcd}: whether the cluster and this machine are fit for one more member. Everything
 * is asked at once and told at once, and nothing is changed.
 */
record CheckClusterPhase(StandalonePorts ports) implements Phase<EtcdRun> {

    private static final String AREA = "check-etcd";
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                AREA,
                "Check that the cluster and this machine are ready for another member",
                EtcdPhaseFlags.JOIN_PREFLIGHT);
    }

    @Override
    public EtcdRun run(EtcdRun run, Reporter out) {
        out.step(AREA, "Checking that etcd and this machine are ready for another member");
        JoinTarget target = run.target().orElseThrow();
        MemberSettings settings = run.settings();
        Candidate candidate = new Candidate(
                new NewMember(settings.name(), settings.peerUrl()),
                Optional.of(settings.version()),
                true,
                target.rejoin());
        JoinCheckup checkup = new JoinCheckup(
                ports.seen().probes(), ports.machine().files(), ports.machine().observer());
        JoiningNode node = run.joiningNode();
        EtcdAccess access = ports.access(run, target.endpoints());
        if (run.existing()) {
            // a quorum may be missing until this member runs
            Optional<EtcdHealth> answered = answer(checkup, access, candidate, node)
                            instanceof Attempt.Done(CheckFacts facts)
                    ? Optional.of(facts.cluster().health())
                    : Optional.empty();
            new ExistingMember(ports.machine().files(), settings)
                    .require(answered, run.resumes(), run.options(), out);
            return run;
        }
        CheckFacts facts = look(checkup, access, candidate, node);
        List<EtcdFinding> findings = new ArrayList<>(JoinChecklist.findings(facts));
        if (!run.resumes() && !run.options().versionChosen()) {
            UnchosenVersion.finding(settings.version(), facts.cluster().health().versions())
                    .ifPresent(findings::add);
        }
        new Preflight(run.options().ignorePreflightErrors(), out)
                .run(EtcdFindings.checks(findings, AREA, out));
        return run;
    }

    /** Another member that joins at this moment keeps etcd from answering for a while. */
    private CheckFacts look(
            JoinCheckup checkup, EtcdAccess access, Candidate candidate, JoiningNode node) {
        Await await = new Await(
                AREA,
                "a member at %s to answer".formatted(access.endpoints()),
                LIMIT,
                INTERVAL,
                "check the endpoint, that etcd runs there, and that this machine reaches its ports 2379 and 2380");
        return ports.machine()
                .observer()
                .until(await, () -> answer(checkup, access, candidate, node))
                .orElseThrow(await::neededAnswer);
    }

    private static Attempt<CheckFacts> answer(
            JoinCheckup checkup, EtcdAccess access, Candidate candidate, JoiningNode node) {
        try {
            return Attempt.done(checkup.gather(access, candidate, node));
        } catch (EtcdCallException e) {
            if (e.errorClass() != ErrorClass.FATAL) {
                return Attempt.notYet(e.getMessage());
            }
            Optional<PeerContact.Untrusted> untrusted = checkup.distrust(access, node);
            throw untrusted
                    .map(distrust -> new ClusterException(
                            "this machine does not trust etcd at %s".formatted(access.endpoints()),
                            "it presents %s, this machine trusts %s (%s)"
                                    .formatted(distrust.theirs(), distrust.ours(), distrust.why()),
                            "put the cluster's CA on this machine, and move certificates of another CA away",
                            e))
                    .orElseGet(() -> new ClusterException(
                            "no member answers at %s".formatted(access.endpoints()),
                            e.getMessage(),
                            "check the endpoint, that etcd runs there, and that this machine reaches its ports 2379 and 2380",
                            e));
        }
    }
}
