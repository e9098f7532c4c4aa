package io.kjadm.etcd.auto;

import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Quorum;
import io.kjadm.etcd.auto.Charter.Open;
import io.kjadm.etcd.auto.EntryBody.Fenced;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Whether a cluster can never have a quorum again. Which voters raft really has is not known for sure
 * once nobody answers, so none of the sets that it may have must be able to.
 *
 * <p>A voter is out if its machine promises that it never starts again, or if an operator says so by
 * its name. Silence, age or an empty disk are no reasons.
 *
 * @param sets that the voters may be
 */
public record RuleF(Set<Set<Voter>> sets) {

    public RuleF {
        sets = sets.stream().map(Set::copyOf).collect(Collectors.toUnmodifiableSet());
    }

    /**
     * A voter.
     *
     * @param member  empty for one whose ID the log does not know: a change adds it, and has no end
     * @param machine on which it runs, if the log knows that
     */
    public record Voter(Optional<MemberId> member, Optional<MachineId> machine) {}

    /** All sets that an entry of the log names, and what late calls make of them. */
    static RuleF of(Membership members, Collection<Fenced> fenced) {
        List<Seat> voters = members.voters();
        Set<Set<Voter>> sets = new HashSet<>();
        sets.add(known(voters, members.ids()));
        members.change().map(Open::body).ifPresent(open -> {
            Set<Voter> before = known(voters, open.before());
            sets.add(before);
            open.added()
                    .map(added -> new Voter(Optional.empty(), Optional.of(added.machine())))
                    .ifPresent(added -> sets.add(Stream.concat(before.stream(), Stream.of(added))
                            .collect(Collectors.toSet())));
            open.removed().ifPresent(removed -> sets.add(without(removed, before)));
        });
        fenced.stream()
                .filter(one -> !one.knows().isEmpty())
                .forEach(one -> sets.add(known(voters, one.knows())));
        members.withdrawn()
                .forEach(late -> Set.copyOf(sets).forEach(set -> sets.add(without(late, set))));
        sets.remove(Set.of());
        return new RuleF(sets);
    }

    private static Set<Voter> without(MemberId removed, Set<Voter> set) {
        return set.stream()
                .filter(voter -> voter.member().filter(removed::equals).isEmpty())
                .collect(Collectors.toSet());
    }

    private static Set<Voter> known(List<Seat> voters, Collection<MemberId> ids) {
        return ids.stream()
                .map(id -> new Voter(
                        Optional.of(id),
                        voters.stream()
                                .filter(seat -> seat.id().equals(id))
                                .findFirst()
                                .flatMap(Seat::machine)))
                .collect(Collectors.toSet());
    }

    /** Whether fewer voters than a quorum are left in each set. */
    public boolean holds(Predicate<Voter> out) {
        return sets.stream().allMatch(set -> holds(set, out));
    }

    private static boolean holds(Set<Voter> set, Predicate<Voter> out) {
        return set.stream().filter(out.negate()).count() < new Quorum(set.size()).size();
    }

    /** Voters of which some have to be out besides; empty if it holds. */
    public Set<Voter> missing(Predicate<Voter> out) {
        return sets.stream()
                .filter(set -> !holds(set, out))
                .flatMap(Set::stream)
                .filter(out.negate())
                .collect(Collectors.toSet());
    }
}
