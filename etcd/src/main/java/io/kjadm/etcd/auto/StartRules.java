package io.kjadm.etcd.auto;

import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.AutoFacts.Copy;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.SetUp;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.Charter.Open;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.Decision.Wait;
import io.kjadm.etcd.auto.Verdict.Applies;
import io.kjadm.etcd.auto.Verdict.No;

import java.util.Optional;
import java.util.Set;

/** Whether etcd of this machine may start: asked by the daemon, and by systemd before each start. */
public final class StartRules {

    private StartRules() {}

    static Verdict copied(AutoFacts facts) {
        Optional<Copy> copy = facts.local().stops().copy();
        return copy.<Verdict>map(it -> new Applies(wait(it)))
                .orElseGet(() -> new No("no other machine reports by the ID of this one"));
    }

    private static Wait wait(Copy copy) {
        return new Wait(
                WaitCode.CLONE,
                copy.why(),
                copy.certain()
                        ? "run 'systemctl disable --now etcd' on the copy; to use it as a new machine, move /var/lib/kjadm/etcd-auto and etcd's data directory away"
                        : "");
    }

    static Verdict disk(AutoFacts facts) {
        return facts.local().data() instanceof Data.OtherDisk(String why, String next)
                ? StoreRules.wait(WaitCode.DISK, why, next)
                : new No("etcd's data directory is not on another disk than it was");
    }

    /** Asks this machine alone, so etcd starts without the store. */
    static Verdict start(AutoFacts facts) {
        Charter charter = facts.charter();
        boolean founding = charter.phase() == Phase.FORMING
                && charter.founder().filter(facts.self().id()::equals).isPresent();
        if (charter.runs()
                && charter.seat(facts.self().id()).isPresent()
                && !founding
                && facts.local().data() instanceof Data.Lost(String why)) {
            return StoreRules.wait(
                    WaitCode.LOST,
                    why,
                    "another machine removes this member while all other voters are healthy; it joins again then");
        }
        // a join may have ended before it was finished here, when its member voted already
        boolean seated = charter.runs()
                && facts.local().data() instanceof Data.Held(int generation, var member)
                && generation == charter.generation()
                && (charter.seat(facts.self().id()).isPresent()
                                && (facts.local().setUp() || !founding && member.isPresent())
                        || joinsWithoutStore(facts) && member.isPresent());
        if (!seated) {
            return new No("this machine has no member of the cluster that was started before");
        }
        if (charter.pause().isPresent() || facts.local().stops().person().isPresent()) {
            return new No("the automatic mode is paused");
        }
        Optional<Wait> refusal = refusal(
                charter,
                facts.self().id(),
                facts.local().data(),
                facts.local().stops().copy());
        if (refusal.isPresent()) {
            return new No(refusal.get().why());
        }
        boolean fenced = facts.local()
                .fenced()
                .filter(it -> it.generation() == charter.generation())
                .isPresent();
        if (fenced) {
            return new No("the member of this machine was stopped for a restore");
        }
        if (facts.local().by() == SetUp.DATA) {
            Optional<Seat> elsewhere = moved(facts);
            return elsewhere.isPresent()
                    ? elsewhere(facts, elsewhere.get())
                    : MemberRules.attempt(
                            facts,
                            new Step.JoinWithData(
                                    MemberRules.own(facts), MemberRules.endpoints(charter)),
                            "the data of this machine's member are here, and etcd is not set up");
        }
        return switch (facts.local().unit()) {
            case FAILED ->
                moved(facts).isPresent()
                        ? new No("etcd does not start at the address of this machine")
                        : MemberRules.attempt(
                                facts,
                                new Step.Start(),
                                "etcd of this machine ended with an error");
            case SKIPPED ->
                MemberRules.attempt(
                        facts,
                        new Step.Start(),
                        "etcd of this machine was not started, and may be now");
            case STOPPED, ABSENT ->
                StoreRules.wait(
                        WaitCode.STOPPED,
                        "etcd of this machine was stopped by a person",
                        "run 'systemctl start etcd'");
            case ACTIVE, RESTARTING -> new No("systemd runs etcd of this machine");
        };
    }

    /**
     * Asked after the rules by which a machine ends its own change of members: others do not do that
     * for one that reports. One that waits here for long is replaced.
     */
    static Verdict unit(AutoFacts facts) {
        UnitState unit = facts.local().unit();
        Optional<Seat> moved = moved(facts);
        boolean ends =
                unit == UnitState.RESTARTING || unit == UnitState.FAILED && moved.isPresent();
        boolean runs = facts.charter().runs()
                && facts.charter().seat(facts.self().id()).isPresent()
                && facts.local().setUp()
                && facts.local().data() instanceof Data.Held;
        if (!ends || !runs) {
            return new No("etcd of this machine does not end with an error");
        }
        return moved.map(seat -> StoreRules.wait(
                        WaitCode.ADDRESS,
                        "etcd of this machine does not start: member %s is to be at %s, and this machine is at %s"
                                .formatted(
                                        seat.name(),
                                        seat.peerUrls(),
                                        facts.self().peerUrl()),
                        "give the machine that address; or run 'kjadm etcd auto pause', on another machine 'kjadm etcd member remove %s', and 'kjadm etcd auto resume': this machine joins again"
                                .formatted(seat.id())))
                .orElseGet(() -> StoreRules.wait(
                        WaitCode.UNIT,
                        "etcd of this machine ends with an error each time that systemd starts it",
                        "see 'journalctl -u etcd'"));
    }

    /** The member of this machine, if that was set up for another address. */
    static Optional<Seat> moved(AutoFacts facts) {
        return facts.charter()
                .seat(facts.self().id())
                .filter(seat -> !seat.peerUrls().contains(facts.self().peerUrl()));
    }

    /** Others would not reach it. */
    static Verdict elsewhere(AutoFacts facts, Seat seat) {
        return StoreRules.wait(
                WaitCode.READY,
                "member %s of this machine is reached at %s, and this machine is at %s"
                        .formatted(seat.name(), seat.peerUrls(), facts.self().peerUrl()),
                "run 'kjadm etcd auto' with the --bind-address of the member");
    }

    /** Its member may vote, and the join that started etcd goes on only when the store answers. */
    private static boolean joinsWithoutStore(AutoFacts facts) {
        return !(facts.store() instanceof StoreView.Answers)
                && Set.of(UnitState.SKIPPED, UnitState.FAILED)
                        .contains(facts.local().unit())
                && facts.charter()
                        .change()
                        .map(Open::body)
                        .filter(change -> change.actor().equals(facts.self().id())
                                && change.added().isPresent())
                        .isPresent();
    }

    /**
     * Why etcd must not start; empty if it may. The store is not needed: the log is what the machine
     * has read of it.
     */
    public static Optional<Wait> refusal(
            Charter charter, MachineId self, Data data, Optional<Copy> copy) {
        if (charter.phase() == Phase.RETIRED) {
            return over(charter, data);
        }
        Optional<Wait> certain = copy.filter(Copy::certain).map(StartRules::wait);
        return certain.or(() -> switch (data) {
            case Data.OtherDisk(String why, String next) -> refused(WaitCode.DISK, why, next);
            case Data.Lost(String why) ->
                refused(
                        WaitCode.LOST,
                        why,
                        "another machine removes this member, then this machine joins again: see 'kjadm etcd auto status'");
            case Data.Unreadable(String why) ->
                refused(WaitCode.DISK, why, "make the data directory readable");
            case Data.Blank _ ->
                refused(
                        WaitCode.DISK,
                        "kjadm etcd auto has not set up a member on this machine",
                        "see 'kjadm etcd auto explain'");
            case Data.Held(int generation, Optional<MemberId> member) ->
                held(charter, self, generation, member);
        });
    }

    /**
     * Why etcd must not start, also after the automatic mode has ended: the members of a generation that
     * is over would have a quorum once two of three machines that were given up are switched on.
     */
    static Optional<Wait> over(Charter charter, Data data) {
        return data instanceof Data.Held(int generation, var _)
                        && generation > 0
                        && generation != charter.generation()
                ? refused(
                        WaitCode.FENCE,
                        "this machine's etcd is of generation %d, which is over"
                                .formatted(generation),
                        "run 'kjadm etcd reset --endpoints URL' on this machine, with a client URL of the cluster that runs")
                : Optional.empty();
    }

    private static Optional<Wait> held(
            Charter charter, MachineId self, int generation, Optional<MemberId> member) {
        if (!charter.runs() || generation != charter.generation()) {
            return refused(
                    WaitCode.FENCE,
                    "this machine's etcd is of generation %d, which is over or ends"
                            .formatted(generation),
                    "see 'kjadm etcd auto explain'");
        }
        boolean joins = charter.change()
                .filter(change -> change.body().actor().equals(self))
                .isPresent();
        boolean seated = charter.seat(self)
                .filter(seat -> member.isEmpty() || member.get().equals(seat.id()))
                .isPresent();
        return joins || seated
                ? Optional.empty()
                : refused(
                        WaitCode.FOREIGN,
                        "the log lists no member %s of this machine"
                                .formatted(member.map(MemberId::toString).orElse("")),
                        "kjadm-etcd-auto.service renames the data of a member that was removed, after a boot within 150 s; the machine is a spare then");
    }

    private static Optional<Wait> refused(WaitCode code, String why, String next) {
        return Optional.of(new Wait(code, why, next));
    }
}
