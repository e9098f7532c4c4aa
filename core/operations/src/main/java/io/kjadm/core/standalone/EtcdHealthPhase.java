package io.kjadm.core.standalone;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.MemberMarker;
import io.kjadm.core.etcd.UnitWatch;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.join.StartProblem;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** {@code health}: the member serves, and its cluster agrees on a leader. */
record EtcdHealthPhase(StandalonePorts ports) implements Phase<EtcdRun> {

    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final Duration INTERVAL = Duration.ofMillis(300);

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of("health", "Wait until this member serves", EtcdPhaseFlags.MEMBER);
    }

    @Override
    public EtcdRun run(EtcdRun run, Reporter out) {
        UnitWatch watch = ports.etcd(run).watch();
        watch.starts();
        try (EtcdCluster etcd = ports.connect(run, List.of(run.settings().clientUrl()))) {
            Optional<Member> own = ports.machine()
                    .waiter()
                    .until(
                            new Await(
                                    "health",
                                    "etcd on this machine to serve",
                                    LIMIT,
                                    INTERVAL,
                                    ports.etcd(run).logHint()
                                            + ", then run the same command again"),
                            () -> look(etcd, run, watch));
            own.ifPresent(member ->
                    out.step("health", "etcd member %s is healthy".formatted(member.describe())));
        }
        MemberMarker.adopt(
                ports.machine().files(),
                run.settings().directories().data(),
                ports.machine().waiter().now());
        ports.etcd(run).finished(run.record());
        return run;
    }

    private static Attempt<Member> look(EtcdCluster etcd, EtcdRun run, UnitWatch watch) {
        Optional<StartProblem> fault = watch.cause();
        if (fault.isPresent()) {
            throw new ClusterException(fault.get().problem());
        }
        try {
            MemberStatus status = etcd.status(run.settings().clientUrl());
            EtcdHealth health = EtcdHealth.ask(etcd);
            Optional<Member> own = health.find(status.memberId()).filter(health::healthy);
            return own.isPresent() && health.isLed()
                    ? Attempt.done(own.get())
                    : Attempt.notYet(
                            health.unhealthyMembers().isEmpty()
                                    ? "there is no leader yet"
                                    : health.unhealthyMembers());
        } catch (EtcdCallException e) {
            return Attempt.notYet(e.text());
        }
    }
}
