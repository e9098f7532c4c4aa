package io.kjadm.etcd.join;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.Problem;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What the member list means for a node without a journal: the decision table for first and
 * repeated joins.
 */
record Rejoin(NewMember wanted, JoinPlace place, RejoinOptions options, JoinLimits limits) {

    /**
     * What to do with what is there; empty if nothing of ours is listed, and no data is in the way.
     *
     * @param resume goes on with a member that is listed and whose data is on this node
     */
    Optional<JoinDecision> decide(
            EtcdHealth health,
            LocalDataDir localDataDir,
            Instant now,
            Function<Member, JoinDecision> resume) {
        for (Member member : health.members()) {
            if (wanted.hasUrlOf(member)) {
                return Optional.of(ofOurs(health, member, localDataDir, now, resume));
            }
            if (wanted.urlTakenBy(member)) {
                return Optional.of(new JoinDecision.Fail(
                        FailReason.URL_TAKEN,
                        new Problem(
                                "the peer URL %s belongs to etcd member %s"
                                        .formatted(wanted.urlsOf(member), member.describe()),
                                member.peerUrls().size() > 1
                                        ? "that member listens under several peer URLs and this one is among them"
                                        : "no two members can have one peer URL",
                                "choose another advertise address, or remove that member: "
                                        + removal(member))));
            }
        }
        for (Member member : health.members()) {
            if (wanted.nameTakenBy(member)) {
                return Optional.of(new JoinDecision.Fail(
                        FailReason.NAME_TAKEN,
                        new Problem(
                                "an etcd member named %s is listed with another peer URL: %s"
                                        .formatted(wanted.name(), member.describe()),
                                "two members of one name break the member list a new member starts with",
                                "if that node is gone for good, run " + removal(member)
                                        + "; otherwise join under another name")));
            }
        }
        // elsewhere data are only believed to be there, of a member that was listed before
        return localDataDir.dataPresent() && place.seesData()
                ? Optional.of(stray(health, localDataDir))
                : Optional.empty();
    }

    private JoinDecision ofOurs(
            EtcdHealth health,
            Member member,
            LocalDataDir localDataDir,
            Instant now,
            Function<Member, JoinDecision> resume) {
        if (localDataDir.dataPresent() && !localDataDir.mayBelongTo(member)) {
            return stray(health, localDataDir);
        }
        boolean runs = health.status(member.id()).isPresent();
        if (runs && !localDataDir.dataPresent()) {
            return new JoinDecision.Fail(
                    FailReason.ADDRESS_SHARED,
                    new Problem(
                            "%s %s is running, but not from this node's data directory"
                                    .formatted(
                                            member.learner() ? "learner" : "voter",
                                            member.describe()),
                            "two machines use the address " + wanted.peerUrlText(),
                            "choose another advertise address"));
        }
        if (member.started() && localDataDir.dataPresent()) {
            return resume.apply(member);
        }
        return member.learner() ? learner(member, now) : voter(health, member);
    }

    private JoinDecision learner(Member member, Instant now) {
        if (options.takeover()) {
            return new JoinDecision.RemoveBlockingLearner(
                    member,
                    member.started()
                            ? "its data is not here, and --takeover was given"
                            : "it has not started, and --takeover was given");
        }
        if (member.started()) {
            return new JoinDecision.Fail(
                    FailReason.LEARNER_WITHOUT_DATA,
                    new Problem(
                            "a learner with this node's peer URL is listed that has run, and its data is not here: "
                                    + member.describe(),
                            "its data is lost, or another machine has this address",
                            "if it is this node's, join with --takeover, or run " + removal(member)
                                    + " and join again"));
        }
        Optional<Instant> born =
                MemberAddTime.of(member, now, limits.abandoned().lookBack());
        if (born.filter(since -> Duration.between(since, now)
                                .compareTo(limits.abandoned().after())
                        > 0)
                .isPresent()) {
            return new JoinDecision.RemoveBlockingLearner(
                    member, "it was added at %s and has never started".formatted(born.get()));
        }
        return new JoinDecision.Fail(
                FailReason.UNKNOWN_LEARNER,
                new Problem(
                        "a learner with this node's peer URL is listed that this node has not added: "
                                + member.describe(),
                        born.map(since -> "it was added at " + since
                                        + ", so another join of the same address may be running")
                                .orElse("another join of the same address may be running"),
                        "if none is, join with --takeover, or run " + removal(member)
                                + " and join again"));
    }

    private JoinDecision voter(EtcdHealth health, Member member) {
        if (!options.replaceLostVoter()) {
            return member.started()
                    ? new JoinDecision.Fail(
                            FailReason.VOTER_WITHOUT_DATA,
                            new Problem(
                                    "this node is listed as voter %s but has no etcd data"
                                            .formatted(member.describe()),
                                    "a voter that lost its data has lost votes and entries that it acknowledged, and must never start again",
                                    "while the other voters have a quorum, join with --replace-lost-voter, or run "
                                            + removal(member) + " and join again"))
                    : new JoinDecision.Fail(
                            FailReason.UNKNOWN_VOTER,
                            new Problem(
                                    "a voter with this node's peer URL is listed that has not started: "
                                            + member.describe(),
                                    "it counts for the quorum, and it is unknown whether it ever voted",
                                    "while the other voters have a quorum, join with --replace-lost-voter, or run "
                                            + removal(member) + " and join again"));
        }
        if (!health.keepsQuorumWithout(member)) {
            return new JoinDecision.Fail(
                    FailReason.VOTER_NEEDED,
                    new Problem(
                            "voter %s cannot be replaced".formatted(member.describe()),
                            "of the other voters %d are healthy, %d are needed: %s"
                                    .formatted(
                                            health.healthyVotersWithout(member).size(),
                                            health.quorum().minusOne().size(),
                                            health.unhealthyMembers()),
                            "bring the other voters back first; if a majority is lost for good, restore from a snapshot"));
        }
        return new JoinDecision.RemoveBlockingLearner(
                member, "its data is lost, and --replace-lost-voter was given");
    }

    /** Data in the directory that no listed member of this node has written. */
    private JoinDecision stray(EtcdHealth health, LocalDataDir localDataDir) {
        boolean own =
                localDataDir.clusterId().map(health.clusterIds()::contains).orElse(true);
        String cluster = localDataDir
                .clusterId()
                .orElseGet(() ->
                        health.clusterIds().stream().sorted().collect(Collectors.joining(", ")));
        if (options.wipeEtcdData()
                .filter(typed -> localDataDir
                        .clusterId()
                        .map(typed::equals)
                        .orElseGet(() -> health.clusterIds().contains(typed)))
                .isPresent()) {
            return new JoinDecision.CleanNode(
                    Optional.empty(),
                    "setting the data of a previous member aside",
                    Optional.empty());
        }
        String whose = localDataDir
                .dataOf()
                .map(id -> " (member " + id
                        + localDataDir
                                .clusterId()
                                .map(of -> " of cluster " + of)
                                .orElse("") + ")")
                .orElse("");
        return new JoinDecision.Fail(
                FailReason.FOREIGN_DATA,
                new Problem(
                        "the etcd data directory holds data of a member that is not listed" + whose,
                        own
                                ? "a removed member can never return, and another cluster's data must not be mixed in"
                                : "it belongs to another cluster than the one that is joined",
                        "%s, or move the data directory away, or join with --wipe-etcd-data=%s"
                                .formatted(place.cleanUp(), cluster)));
    }

    private static String removal(Member member) {
        return "\"kjadm etcd member remove " + member.id() + "\"";
    }
}
