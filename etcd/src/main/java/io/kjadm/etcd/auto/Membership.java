package io.kjadm.etcd.auto;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.Charter.Open;
import io.kjadm.etcd.auto.EntryBody.Added;
import io.kjadm.etcd.auto.EntryBody.Adopt;
import io.kjadm.etcd.auto.EntryBody.Change;
import io.kjadm.etcd.auto.EntryBody.Claim;
import io.kjadm.etcd.auto.EntryBody.Done;
import io.kjadm.etcd.auto.EntryBody.Observed;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The members of a generation, as the log tells: who votes, which change is open, and when voters
 * were removed.
 *
 * @param change   that is open
 * @param held     slot of the {@link Observed} that missed a voter, until a person resumes
 * @param removals when changes removed a voter that an operator wants, since a person resumed last; the
 *                 newest at the end, not more than {@link #PACE}
 * @param withdrawn voters whose removal ended without it: a call that was under way may still remove them
 */
public record Membership(
        List<Seat> voters,
        Optional<Open<Change>> change,
        Optional<Long> held,
        List<Instant> removals,
        Set<MemberId> withdrawn) {

    /** So many voters are removed within {@link #PERIOD}, and no more: something else is wrong then. */
    static final int PACE = 3;

    static final Duration PERIOD = Duration.ofHours(24);

    /** No generation. */
    static final Membership NONE =
            new Membership(List.of(), Optional.empty(), Optional.empty(), List.of(), Set.of());

    public Membership {
        voters = List.copyOf(voters);
        Objects.requireNonNull(change, "change");
        Objects.requireNonNull(held, "held");
        removals = List.copyOf(removals);
        withdrawn = Set.copyOf(withdrawn);
    }

    static Membership founded(Seat founder) {
        return new Membership(
                List.of(founder), Optional.empty(), Optional.empty(), List.of(), Set.of());
    }

    static Membership adopted(Adopt adopt) {
        return new Membership(
                adopt.voters(), Optional.empty(), Optional.empty(), List.of(), Set.of());
    }

    /** Whether there are voters, each of them once and on no machine. */
    boolean isWhole() {
        return !voters.isEmpty()
                && ids().size() == voters.size()
                && voters.stream().allMatch(seat -> seat.machine().isEmpty());
    }

    /** The voter on a machine. */
    Optional<Seat> seat(MachineId machine) {
        return voters.stream().filter(seat -> seat.on(machine)).findFirst();
    }

    /** The voter with an ID. */
    Optional<Seat> seat(MemberId id) {
        return voters.stream().filter(seat -> seat.id().equals(id)).findFirst();
    }

    Set<MemberId> ids() {
        return ids(voters);
    }

    private static Set<MemberId> ids(List<Seat> seats) {
        return seats.stream().map(Seat::id).collect(Collectors.toUnmodifiableSet());
    }

    /** Whether as many voters were removed as may be, by the clocks of the machines that did it. */
    boolean tooFast(Instant now) {
        return removals.size() >= PACE && removals.getFirst().plus(PERIOD).isAfter(now);
    }

    /** What differs between the voters of etcd and those of the log; empty if nothing does. */
    Optional<String> difference(EtcdHealth health) {
        Set<MemberId> listed = health.voters().stream().map(Member::id).collect(Collectors.toSet());
        Set<MemberId> gone = new TreeSet<>(ids());
        gone.removeAll(listed);
        Set<MemberId> foreign = new TreeSet<>(listed);
        foreign.removeAll(ids());
        List<String> parts = new ArrayList<>();
        if (!foreign.isEmpty()) {
            parts.add("etcd lists voters that the log does not know: " + joined(foreign));
        }
        if (!gone.isEmpty()) {
            parts.add("etcd does not list voters of the log: " + joined(gone));
        }
        return parts.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", parts));
    }

    private static String joined(Set<MemberId> ids) {
        return ids.stream().map(MemberId::toString).collect(Collectors.joining(", "));
    }

    // ---- what the log may say next

    Optional<String> objection(Change opened, Entry.Author author) {
        if (change.isPresent()) {
            return Optional.of(
                    "the change of slot %d is open".formatted(change.get().slot()));
        }
        if (held.isPresent()) {
            return Optional.of("slot %d holds".formatted(held.get()));
        }
        if (!author.is(opened.actor())) {
            return Optional.of("a machine writes for itself");
        }
        if (!opened.before().equals(ids())) {
            return Optional.of("the voters are " + ids());
        }
        return opened.added()
                .map(added -> objection(added, opened.actor()))
                .orElseGet(() ->
                        objection(opened.removed().orElseThrow(), opened.actor(), author.at()));
    }

    private Optional<String> objection(Added added, MachineId actor) {
        if (!added.machine().equals(actor)) {
            return Optional.of("a machine adds its own member");
        }
        return seat(actor).map(seat -> "machine %s has member %s".formatted(actor, seat.id()));
    }

    /** The actor is a voter, so that its own etcd orders the removal with those of people. */
    private Optional<String> objection(MemberId removed, MachineId actor, Instant at) {
        if (seat(removed).isEmpty()) {
            return Optional.of("member %s is not a voter".formatted(removed));
        }
        if (seat(actor).filter(seat -> !seat.id().equals(removed)).isEmpty()) {
            return Optional.of("machine %s has no other voter".formatted(actor));
        }
        return tooFast(at)
                ? Optional.of(
                        "%d voters were removed within %d h".formatted(PACE, PERIOD.toHours()))
                : Optional.empty();
    }

    /** Another machine may close it: that of the change may be lost. */
    Optional<String> objection(Done done) {
        if (change.isEmpty() || change.get().slot() != done.change()) {
            return Optional.of("slot %d is not an open change".formatted(done.change()));
        }
        Change open = change.get().body();
        return different(done.voters())
                .or(() -> open.removed()
                        .map(removed -> objection(removed, done))
                        .orElseGet(() -> objection(open.added().orElseThrow(), done)));
    }

    /**
     * A removal is done, or withdrawn. A call that is sent after it was withdrawn removes one voter, if
     * etcd itself still permits that, and is {@link Observed}.
     */
    private Optional<String> objection(MemberId removed, Done done) {
        Set<MemberId> left = new HashSet<>(ids());
        left.remove(removed);
        Set<MemberId> now = ids(done.voters());
        return now.equals(left) || now.equals(ids())
                ? Optional.empty()
                : Optional.of("the voters without %s are %s".formatted(removed, left));
    }

    private Optional<String> objection(Added added, Done done) {
        List<Seat> more = new ArrayList<>(done.voters());
        more.removeAll(voters);
        boolean fits = done.voters().containsAll(voters)
                && more.size() <= 1
                && more.stream()
                        .allMatch(seat -> seat.on(added.machine())
                                && seat.peerUrls().equals(added.peerUrls()));
        return fits
                ? Optional.empty()
                : Optional.of("the voters are not those of before and the member that was added");
    }

    /** A machine has one voter, and a voter one machine. */
    Optional<String> objection(Claim claim, Entry.Author author) {
        if (author.machine().isEmpty()) {
            return Optional.of("a machine writes for itself");
        }
        if (seat(author.machine().get()).isPresent()) {
            return Optional.of(
                    "machine %s has a voter".formatted(author.machine().get()));
        }
        return seat(claim.member()).filter(seat -> seat.machine().isEmpty()).isPresent()
                ? Optional.empty()
                : Optional.of("member %s is no voter without a machine".formatted(claim.member()));
    }

    /** A change that others have overtaken ends with it. */
    Optional<String> objection(Observed observed) {
        if (voters.isEmpty() || observed.voters().isEmpty()) {
            return Optional.of("there is no cluster");
        }
        return ids(observed.voters()).equals(ids())
                ? Optional.of("the voters are these")
                : different(observed.voters());
    }

    /** Members keep their machines. */
    private Optional<String> different(List<Seat> seats) {
        if (ids(seats).size() != seats.size()) {
            return Optional.of("a member is listed twice");
        }
        return seats.stream()
                        .allMatch(seat -> seat(seat.id()).filter(seat::equals).isPresent()
                                || seat(seat.id()).isEmpty())
                ? Optional.empty()
                : Optional.of("a voter of before is on another machine");
    }

    // ---- what it says

    Membership begins(long slot, Change opened) {
        return new Membership(
                voters, Optional.of(new Open<>(slot, opened)), held, removals, withdrawn);
    }

    /** @param nodes that an operator wants: who is removed beyond them says nothing of the machines */
    Membership ends(Done done, Instant at, int nodes) {
        List<Instant> all = new ArrayList<>(removals);
        if (done.voters().size() < Math.min(voters.size(), nodes)) {
            all.add(at);
        }
        return new Membership(
                done.voters(),
                Optional.empty(),
                held,
                all.subList(Math.max(0, all.size() - PACE), all.size()),
                withdrawn(done.voters()));
    }

    Membership observed(long slot, Observed observed) {
        boolean lost = !ids(observed.voters()).containsAll(ids());
        return new Membership(
                observed.voters(),
                Optional.empty(),
                lost ? Optional.of(slot) : held,
                removals,
                withdrawn(observed.voters()));
    }

    /** With the open removal, which ends here, of those who are voters afterwards. */
    private Set<MemberId> withdrawn(List<Seat> after) {
        Set<MemberId> all = new HashSet<>(withdrawn);
        change.flatMap(open -> open.body().removed()).ifPresent(all::add);
        all.retainAll(ids(after));
        return all;
    }

    Membership claimed(MemberId member, MachineId machine) {
        return new Membership(
                voters.stream()
                        .map(seat -> seat.id().equals(member) ? seat.claimedBy(machine) : seat)
                        .toList(),
                change,
                held,
                removals,
                withdrawn);
    }

    /** As its members are stopped: nothing changes any more. */
    Membership stopped() {
        return new Membership(voters, Optional.empty(), held, removals, withdrawn);
    }

    Membership released() {
        return new Membership(voters, change, Optional.empty(), removals, withdrawn);
    }

    Membership paced() {
        return new Membership(voters, change, held, List.of(), withdrawn);
    }
}
