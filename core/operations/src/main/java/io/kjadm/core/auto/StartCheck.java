package io.kjadm.core.auto;

import io.kjadm.core.error.HostException;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.auto.AutoFacts.Copy;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Decision.Wait;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.MachineReport.Life;
import io.kjadm.etcd.auto.StartRules;
import io.kjadm.etcd.auto.WaitCode;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.StoreException;

import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * What is checked before each start of etcd, by a program that lives for a moment. What this machine
 * remembers is enough; a store that responds tells what has happened while it was off.
 */
public final class StartCheck {

    private final AutoMemory memory;
    private final AutoToken token;
    private final OwnDisk disk;
    private final Waiter waiter;

    /**
     * What the store tells.
     *
     * @param charter by its log; empty if that cannot be used, as where entries were deleted
     * @param report  this machine's, as it was last written
     */
    public record Told(Optional<Charter> charter, Optional<MachineReport> report) {}

    /** @param memory what is written to it is not kept */
    public StartCheck(AutoMemory memory, AutoToken token, OwnDisk disk, Waiter waiter) {
        this.memory = memory;
        this.token = token;
        this.disk = disk;
        this.waiter = waiter;
    }

    /** Asks the store; empty if it does not respond. */
    public Optional<Told> ask(ObjectStore store, RandomGenerator random) {
        try {
            AutoLog log = AutoLog.open(store, token, memory, waiter, random);
            Optional<Charter> charter = log.refresh() instanceof StoreView.Answers
                    ? Optional.of(log.charter())
                    : Optional.empty();
            return Optional.of(new Told(charter, log.reports().fetch(id())));
        } catch (StoreException e) {
            return Optional.empty();
        }
    }

    private MachineId id() {
        return memory.machine()
                .orElseThrow(() -> new HostException(
                        "this machine has no ID",
                        "there is none in " + AutoPaths.STATE,
                        "run 'kjadm etcd auto STORE' on it"));
    }

    /**
     * Why etcd must not start; empty if it may. A refusal by the store's word alone is noted, and
     * holds until the log can be read again; that another machine may have this one's ID, until this
     * machine's report tells otherwise.
     *
     * @param told by the store; empty if it does not respond
     * @throws HostException if what this machine remembers cannot be read
     */
    public Optional<Wait> refusal(Optional<Told> told) {
        Optional<DiskNote> member = disk.note();
        Optional<Wait> kept = told.flatMap(Told::charter).isPresent()
                ? Optional.empty()
                : member.flatMap(disk.startRefusal()::of)
                        // a report that was put back with the log tells less of the data than
                        // before
                        .filter(it -> told.flatMap(Told::report).isEmpty()
                                || it.code() != WaitCode.CLONE);
        Optional<Wait> refusal = by(told);
        // what this machine refuses by itself passes without the store, and hides what that tells
        boolean news = refusal.isPresent() ? by(Optional.empty()).isEmpty() : told.isPresent();
        if (news && kept.isEmpty()) {
            member.ifPresent(it -> disk.startRefusal().keep(it, refusal));
        }
        return refusal.or(() -> kept);
    }

    private Optional<Wait> by(Optional<Told> told) {
        MachineId machine = id();
        return StartRules.refusal(
                told.flatMap(Told::charter)
                        .orElseGet(() -> AutoLog.remembered(token, memory, waiter)),
                machine,
                data(machine, told.flatMap(Told::report)),
                copy(memory, told.flatMap(Told::report)));
    }

    private Data data(MachineId machine, Optional<MachineReport> report) {
        Optional<DiskNote> note = disk.note();
        if (note.isEmpty()) {
            return new Data.Blank();
        }
        return disk.objection(machine, false, report)
                .orElseGet(() -> new Data.Held(memory.generation(), disk.member()));
    }

    /** A later start than any this machine knows of was another machine's, or was forgotten. */
    static Optional<Copy> copy(AutoMemory memory, Optional<MachineReport> report) {
        boolean later = report.map(MachineReport::life)
                .map(Life::run)
                .filter(run -> run > memory.run())
                .isPresent();
        return memory.copied() || later
                ? Optional.of(new Copy(
                        true,
                        later
                                ? "this machine has reported a start that it does not know of: it was copied, or put back"
                                : "another machine reports by the ID of this one"))
                : Optional.empty();
    }
}
