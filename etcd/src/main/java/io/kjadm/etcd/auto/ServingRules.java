package io.kjadm.etcd.auto;

import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.Decision.Idle;
import io.kjadm.etcd.auto.Step.Clients;
import io.kjadm.etcd.auto.Verdict.Applies;
import io.kjadm.etcd.auto.Verdict.No;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What is left to do, or to wait for, when no machine changes members. */
final class ServingRules {

    private ServingRules() {}

    static Verdict clients(AutoFacts facts) {
        Charter charter = facts.charter();
        if (charter.phase() != Phase.OPEN || charter.seat(facts.self().id()).isEmpty()) {
            return new No("clients do not use a member of this machine");
        }
        if (facts.local().provided().clients()) {
            return new No("what clients need is written");
        }
        boolean founded = facts.local().by() == AutoFacts.SetUp.INIT;
        return MemberRules.attempt(
                facts,
                new Clients(founded ? List.of() : MemberRules.endpoints(charter)),
                "the voters are " + MemberRules.names(charter));
    }

    /** A cluster that refuses writes, or whose data differ, is for a person to mend first. */
    static Verdict alarm(AutoFacts facts) {
        List<Alarm> raised = facts.etcd() instanceof EtcdView.Answers(EtcdHealth health, var _)
                ? health.raisedAlarms()
                : List.of();
        return raised.isEmpty()
                ? new No("no member has raised an alarm")
                : StoreRules.wait(
                        WaitCode.ALARM,
                        raised.stream()
                                .map(alarm -> "member %s has raised alarm %s"
                                        .formatted(alarm.memberId(), alarm.kind()))
                                .collect(Collectors.joining(", ")),
                        Alarm.WAY_OUT);
    }

    static Verdict health(AutoFacts facts) {
        if (facts.charter().phase() == Phase.NONE
                || !(facts.etcd() instanceof EtcdView.Answers(EtcdHealth health, var _))
                || health.allVotersHealthy()) {
            return new No("all voters are healthy");
        }
        if (health.quorum().voters() - health.healthyVoters() > 1) {
            return StoreRules.wait(
                    WaitCode.HEALTHY,
                    health.unhealthyMembers(),
                    "start etcd on their machines; a voter is replaced while all others are healthy: if they are lost, run 'kjadm etcd auto pause', then 'kjadm etcd member remove' for all but one");
        }
        Optional<Seat> unclaimed = facts.charter().voters().stream()
                .filter(seat -> seat.machine().isEmpty())
                .filter(seat -> health.find(seat.id()).filter(health::healthy).isEmpty())
                .findFirst();
        if (unclaimed.isPresent()) {
            return StoreRules.wait(
                    WaitCode.HEALTHY,
                    "%s; no machine has claimed %s, so it is not replaced"
                            .formatted(
                                    health.unhealthyMembers(), unclaimed.get().name()),
                    "start etcd and 'kjadm etcd auto STORE' on its machine; if that is lost, run 'kjadm etcd auto pause', then 'kjadm etcd member remove %s'"
                            .formatted(unclaimed.get().id()));
        }
        boolean spare = !RepairRules.spares(facts).isEmpty();
        return StoreRules.wait(
                spare ? WaitCode.HEALTHY : WaitCode.SPARE,
                health.unhealthyMembers(),
                spare
                        ? "start etcd on its machine"
                        : "start etcd on its machine, or run 'kjadm etcd auto STORE' on one more machine");
    }

    static Verdict idle(AutoFacts facts) {
        Charter charter = facts.charter();
        boolean enough = charter.voters().size() >= charter.seed().spec().formWith();
        if (charter.phase() == Phase.FORMING && enough) {
            return StoreRules.wait(
                    WaitCode.FOUNDER, "the founder looks whether the voters are healthy", "");
        }
        if (charter.phase() == Phase.FORMING) {
            return StoreRules.wait(
                    WaitCode.MACHINES,
                    "%d of %d voters are there before clients use the cluster"
                            .formatted(
                                    charter.voters().size(),
                                    charter.seed().spec().formWith()),
                    "run 'kjadm etcd auto STORE' on more machines");
        }
        int missing = charter.seed().spec().nodes() - charter.voters().size();
        return missing > 0
                ? StoreRules.wait(
                        WaitCode.SPARE,
                        "%d of %d voters are there"
                                .formatted(
                                        charter.voters().size(),
                                        charter.seed().spec().nodes()),
                        "run 'kjadm etcd auto STORE' on more machines")
                : new Applies(new Idle("%d voters are healthy%s"
                        .formatted(
                                charter.voters().size(),
                                charter.seat(facts.self().id()).isPresent()
                                        ? ""
                                        : "; this machine is " + spare(facts))));
    }

    private static String spare(AutoFacts facts) {
        if (!(facts.local().data() instanceof Data.Blank)) {
            return "no spare: etcd's data directory is in use, and not by a voter of the log; run 'kjadm etcd reset' on it";
        }
        return facts.local().readiness().ok()
                ? "a spare"
                : "no spare: " + String.join(", ", facts.local().readiness().missing());
    }
}
