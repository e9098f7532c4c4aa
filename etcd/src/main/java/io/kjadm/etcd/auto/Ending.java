package io.kjadm.etcd.auto;

import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.EntryBody.Beginning;
import io.kjadm.etcd.auto.EntryBody.Fenced;
import io.kjadm.etcd.auto.EntryBody.Progress;
import io.kjadm.etcd.auto.EntryBody.Restore;
import io.kjadm.etcd.auto.EntryBody.Snapshot;
import io.kjadm.etcd.auto.EntryBody.Source;
import io.kjadm.etcd.auto.RuleF.Voter;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;

/**
 * A generation that ends on an operator's word, from that word until the next generation is open.
 *
 * @param order  the operator's newest word
 * @param began  how the generation began
 * @param members of it; a change of them may have had no end
 * @param fenced what was stopped for good, by machine
 */
public record Ending(
        Restore order, Beginning began, Membership members, Map<MachineId, Fenced> fenced) {

    public Ending {
        Objects.requireNonNull(order, "order");
        Objects.requireNonNull(began, "began");
        Objects.requireNonNull(members, "members");
        fenced = Map.copyOf(fenced);
    }

    static Ending of(Restore order, Beginning began, Membership members) {
        return new Ending(order, began, members, Map.of());
    }

    Ending with(Restore later) {
        return new Ending(later, began, members, fenced);
    }

    Ending with(MachineId machine, Fenced one) {
        Map<MachineId, Fenced> more = new HashMap<>(fenced);
        more.put(machine, one);
        return new Ending(order, began, members, more);
    }

    /** Whether a machine has, or may have, a member of the generation. */
    public boolean has(MachineId machine) {
        return members.seat(machine).isPresent()
                || members.change()
                        .flatMap(open -> open.body().added())
                        .filter(added -> added.machine().equals(machine))
                        .isPresent();
    }

    /** What keeps a quorum of the generation from being there again. */
    public RuleF rule() {
        return RuleF.of(members, fenced.values());
    }

    /** Whether a voter is stopped for good, or is said to be lost. */
    public boolean out(Voter voter) {
        return voter.member().filter(order.lost()::contains).isPresent()
                || voter.machine().filter(fenced::containsKey).isPresent()
                || voter.member()
                        .filter(id -> fenced.values().stream()
                                .anyMatch(one -> one.member().equals(id)))
                        .isPresent();
    }

    /** The revision of the data that the next generation begins with, if it is known. */
    public Optional<Long> revision() {
        return order.source()
                .snapshot()
                .map(Snapshot::revision)
                .or(() -> survivor().flatMap(Fenced::progress).map(Progress::revision));
    }

    private Optional<Fenced> survivor() {
        return order.founder().map(fenced::get);
    }

    // ---- which entries are valid

    /** Why another word of an operator is void; empty if it is valid. */
    Optional<String> objection(Restore later) {
        if (later.generation() != began.generation()) {
            return Optional.of("generation %d ends".formatted(began.generation()));
        }
        if (later.source().kind() != Source.Kind.NONE && !later.lost().containsAll(order.lost())) {
            return Optional.of(
                    "members %s were said to be lost".formatted(new TreeSet<>(order.lost())));
        }
        return switch (later.source().kind()) {
            case NONE -> Optional.empty();
            case SNAPSHOT ->
                later.source().snapshot().isPresent()
                        ? Optional.empty()
                        : Optional.of("it names no snapshot");
            case SURVIVOR -> survives(later);
        };
    }

    private Optional<String> survives(Restore later) {
        Optional<MemberId> member = later.founder().flatMap(members::seat).map(Seat::id);
        return member.isEmpty()
                ? Optional.of("it names no voter's machine")
                : member.filter(later.lost()::contains)
                        .map("member %s survives and is lost"::formatted);
    }

    /** Why a machine may not say that it has stopped its member; empty if it may. */
    Optional<String> objection(Fenced one, Entry.Author author) {
        if (one.generation() != began.generation()) {
            return Optional.of("generation %d ends".formatted(began.generation()));
        }
        Optional<MachineId> machine = author.machine().filter(this::has);
        boolean own = machine.isPresent()
                && members.seat(one.member()).equals(members.seat(machine.get()));
        return own
                ? Optional.empty()
                : Optional.of("member %s is not on that machine".formatted(one.member()));
    }

    /** Why a machine may not found the next generation now; empty if it may. */
    Optional<String> objection(MachineId founder) {
        if (!order.founder().map(founder::equals).orElse(true)) {
            return Optional.of("machine %s founds it".formatted(order.founder().get()));
        }
        if (!rule().holds(this::out)) {
            return Optional.of("members of generation %d may still have a quorum"
                    .formatted(began.generation()));
        }
        if (has(founder) && !fenced.containsKey(founder)) {
            return Optional.of("its own member is not stopped");
        }
        return order.source().kind() == Source.Kind.SURVIVOR ? behind() : Optional.empty();
    }

    /** Why the survivor's data are not the best that there are. */
    private Optional<String> behind() {
        Optional<Progress> own = survivor().flatMap(Fenced::progress);
        if (own.isEmpty()) {
            return Optional.of("the survivor has no data that can be read");
        }
        if (order.acceptLoss()) {
            return Optional.empty();
        }
        if (own.get().missing() > 0) {
            return Optional.of("the survivor's database lacks %d entries that are committed"
                    .formatted(own.get().missing()));
        }
        return fenced.entrySet().stream()
                .filter(other -> other.getValue()
                        .progress()
                        .filter(its -> Progress.ORDER.compare(its, own.get()) > 0)
                        .isPresent())
                .findFirst()
                .map(other -> "machine %s has newer data".formatted(other.getKey()));
    }
}
