package io.kjadm.etcd.auto;

import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.AutoFacts.Copy;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.Decision.Wait;
import io.kjadm.etcd.auto.Verdict.Applies;
import io.kjadm.etcd.auto.Verdict.No;

import java.util.Optional;

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

    /**
     * Why etcd must not start; empty if it may. The store is not needed: the log is what the machine
     * has read of it.
     */
    public static Optional<Wait> refusal(
            Charter charter, MachineId self, Data data, Optional<Copy> copy) {
        if (charter.phase() == Phase.RETIRED) {
            return Optional.empty();
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
                        "see 'kjadm etcd auto status'");
    }

    private static Optional<Wait> refused(WaitCode code, String why, String next) {
        return Optional.of(new Wait(code, why, next));
    }
}
