package io.kjadm.core.auto;

import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.Decision;
import io.kjadm.etcd.auto.Decision.Act;
import io.kjadm.etcd.auto.Decision.Wait;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.MachineReport.Doing;
import io.kjadm.etcd.auto.MachineReport.Floor;
import io.kjadm.etcd.auto.MachineReport.Life;
import io.kjadm.etcd.auto.MachineReport.OfEtcd;
import io.kjadm.etcd.auto.MachineReport.Readiness;
import io.kjadm.etcd.auto.MachineReport.Sight;
import io.kjadm.etcd.auto.Seat;
import io.kjadm.etcd.auto.Step;
import io.kjadm.etcd.auto.UnitState;
import io.kjadm.store.StoreException;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What this machine says of itself: written when it changes, and again before others doubt it. */
public final class OwnReport {

    /** While machines wait for each other; {@code FormRules} wants a report of the last 30 s. */
    private static final Duration FORMING = Duration.ofSeconds(10);

    private static final Duration OPEN = Duration.ofSeconds(60);

    private final MachineReports reports;
    private final AutoMemory memory;
    private final Names names;
    private final Waiter waiter;

    private Optional<MachineReport> last = Optional.empty();
    private Instant written = Instant.MIN;
    private Optional<String> trouble = Optional.empty();
    private long beat;

    /**
     * By what the machine is shown.
     *
     * @param tool program and version
     */
    public record Names(String hostname, String tool) {}

    public OwnReport(MachineReports reports, AutoMemory memory, Names names, Waiter waiter) {
        this.reports = reports;
        this.memory = memory;
        this.names = names;
        this.waiter = waiter;
    }

    /** Why the last report could not be written; empty if it was, or none was due. */
    synchronized Optional<String> trouble() {
        return trouble;
    }

    /** Writes it if something changed, the last one is old, or could not be written. */
    synchronized void write(AutoFacts facts, Decision decision, Floor floor) {
        MachineReport next = report(facts, decision, floor);
        Duration period = facts.charter().phase() == Phase.OPEN ? OPEN : FORMING;
        boolean old = last.isEmpty()
                || trouble.isPresent()
                || Duration.between(written, waiter.now()).compareTo(period) >= 0;
        if (old || !essence(next).equals(last.map(OwnReport::essence).orElseThrow())) {
            put(next);
        }
    }

    /**
     * Before a command: the data of a member that it sets up will be of this generation, and an etcd
     * that it stops was not stopped by a person.
     */
    synchronized void begins(Step step, Charter charter) {
        if (step instanceof Step.Upgrade || step instanceof Step.Renew) {
            memory.restarts();
        }
        if (step instanceof Step.Init || step instanceof Step.Join) {
            memory.begins(charter.generation());
        }
        if (step instanceof Step.Unfence(int generation)) {
            memory.begins(generation);
        }
    }

    /** After a command: it may have left no member on the machine, or what clients need. */
    synchronized void ended(Step step, Charter charter) {
        if (step instanceof Step.Clients) {
            memory.provides(charter.voterIds());
        }
        if (step instanceof Step.Fence) {
            memory.begins(0);
        }
    }

    /** The same again, with another beat. A store that does not respond is no reason to stop. */
    synchronized void again() {
        last.ifPresent(this::put);
    }

    private void put(MachineReport report) {
        beat++;
        MachineReport numbered = new MachineReport(
                report.id(),
                new Life(memory.run(), beat, names.tool()),
                report.known(),
                report.member(),
                report.ready(),
                report.doing(),
                report.sight());
        last = Optional.of(numbered);
        try {
            reports.write(numbered);
            written = waiter.now();
            trouble = Optional.empty();
        } catch (StoreException e) {
            // what is there is read all the same: the next turn shows this
            trouble = Optional.of(e.getMessage());
        }
    }

    /** All but the numbers and words that differ each time. */
    private static List<Object> essence(MachineReport report) {
        return List.of(
                report.known(),
                report.member(),
                report.ready(),
                report.doing().step(),
                report.doing().code(),
                report.sight().map(Sight::served));
    }

    /** How far the own member was is shown on, also when it does not respond any more. */
    private Optional<Sight> sight(AutoFacts facts, Optional<MemberId> member) {
        long before = last.flatMap(MachineReport::sight).map(Sight::index).orElse(0L);
        if (!(facts.etcd() instanceof EtcdView.Answers(EtcdHealth health, String _))) {
            return last.flatMap(MachineReport::sight).map(_ -> new Sight(false, before));
        }
        long index = member.flatMap(health::status).map(MemberStatus::raftIndex).orElse(before);
        return Optional.of(new Sight(health.isLed() && health.hasQuorum(), index));
    }

    private MachineReport report(AutoFacts facts, Decision decision, Floor floor) {
        Optional<MemberId> member = member(facts);
        List<String> missing = new ArrayList<>(facts.local().readiness().missing());
        if (!(facts.local().data() instanceof Data.Blank)) {
            missing.add("it has a member");
        }
        return new MachineReport(
                facts.self().id(),
                new Life(memory.run(), beat, names.tool()),
                facts.charter().tail(),
                new OfEtcd(
                        names.hostname(),
                        facts.self().member().address(),
                        told(facts.local().unit()),
                        member,
                        memory.generation(),
                        floor),
                new Readiness(missing),
                doing(decision),
                sight(facts, member));
    }

    /** A kjadm that does not know a state reads no report that has it. */
    private static UnitState told(UnitState unit) {
        return unit == UnitState.RESTARTING ? UnitState.FAILED : unit;
    }

    /**
     * Also where its data are lost or not there: how far they were is read with whose they are. The log
     * may lack the entry that says so; what this machine has reported stays then.
     */
    private static Optional<MemberId> member(AutoFacts facts) {
        return switch (facts.local().data()) {
            case Data.Held(int _, var id) -> id;
            case Data.Blank _ -> Optional.empty();
            case Data.Lost _, Data.OtherDisk _, Data.Unreadable _ ->
                facts.charter()
                        .seat(facts.self().id())
                        .map(Seat::id)
                        .or(() -> Optional.ofNullable(
                                        facts.machines().get(facts.self().id()))
                                .flatMap(seen -> seen.report().member().id()));
        };
    }

    private static Doing doing(Decision decision) {
        return switch (decision) {
            case Act(Step step, String why) ->
                new Doing(Optional.of(step.command()), Optional.empty(), why);
            case Wait(var code, String why, String _) ->
                new Doing(Optional.empty(), Optional.of(code), why);
            default -> new Doing(Optional.empty(), Optional.empty(), decision.why());
        };
    }
}
