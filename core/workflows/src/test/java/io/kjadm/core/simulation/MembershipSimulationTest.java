package io.kjadm.core.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.kjadm.core.etcd.Forwarding;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.RpcCode;
import io.kjadm.etcd.RpcKind;
import io.kjadm.etcd.StatusAnswer;
import io.kjadm.etcd.join.ClusterView;
import io.kjadm.etcd.join.JoinDecision;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinFacts;
import io.kjadm.etcd.join.JoinState;
import io.kjadm.etcd.join.RollbackOutcome;
import io.kjadm.etcd.join.WaitReason;
import io.kjadm.etcd.model.EtcdModel;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Plays many random schedules of joins, resets, crashes and faults with the production classes; see
 * {@link Oracle} for what is promised and {@link Mishap} for what goes wrong.
 *
 * <p>{@code mvn -pl core/workflows -am test -Dtest=MembershipSimulationTest
 * -Dsurefire.failIfNoSpecifiedTests=false -Dkjadm.simulation.schedules=1000000}
 * plays a million, {@code
 * -Dkjadm.simulation.first=N} begins at another seed. A failure prints its seed and the smallest
 * part of its schedule that still fails; {@code -Dkjadm.simulation.seed=N} plays that one alone and
 * prints what the programs say.
 */
class MembershipSimulationTest {

    private static final long SCHEDULES = Long.getLong("kjadm.simulation.schedules", 500);
    private static final long FIRST = Long.getLong("kjadm.simulation.first", 1);
    /** What is done wrongly is noticed within so many schedules. */
    private static final long ENOUGH = 20_000;

    private static final Supplier<Tampering> AS_IT_IS = Tampering::new;

    @Test
    void everyScheduleKeepsEveryPromise() {
        Long one = Long.getLong("kjadm.simulation.seed");
        Schedules.joins()
                .failing(one == null ? FIRST : one, one == null ? SCHEDULES : 1, AS_IT_IS)
                .ifPresent(seed -> fail(Schedules.joins().story(seed, AS_IT_IS)));
    }

    @Test
    void aScheduleAlwaysPlaysTheSameWay() {
        for (long seed = 1; seed <= 20; seed++) {
            Schedule schedule = Schedule.of(seed);
            List<String> log = new ArrayList<>();
            List<String> again = new ArrayList<>();
            assertEquals(
                    Simulation.play(schedule, AS_IT_IS, log),
                    Simulation.play(schedule, AS_IT_IS, again));
            assertEquals(log, again);
            assertEquals(schedule, Schedule.of(seed));
        }
    }

    // ---- the simulation notices: each of these breaks one rule

    private static void noticed(String violation, Supplier<? extends Tampering> tampering) {
        noticed(violation, 1, tampering);
    }

    /** @param first where the search begins, shortly before a seed that showed it */
    private static void noticed(
            String violation, long first, Supplier<? extends Tampering> tampering) {
        OptionalLong failing = Schedules.joins().violating(violation, first, ENOUGH, tampering);
        assertTrue(failing.isPresent(), "no check noticed that " + violation);
    }

    private static Supplier<Tampering> instead(
            BiFunction<JoinFacts, JoinDecision, JoinDecision> change) {
        return () -> new Tampering() {
            @Override
            Function<JoinFacts, JoinDecision> decider(Function<JoinFacts, JoinDecision> real) {
                return facts -> change.apply(facts, real.apply(facts));
            }
        };
    }

    private static JoinEntry promoting(JoinFacts facts, Member own) {
        return entry(facts, JoinState.PROMOTING, own.id());
    }

    private static JoinEntry entry(JoinFacts facts, JoinState state, MemberId member) {
        JoinEntry known = facts.journal().orElseThrow();
        return new JoinEntry(
                state,
                known.runId(),
                known.clusterId(),
                known.name(),
                known.peerUrl(),
                facts.now(),
                known.before(),
                Optional.of(member),
                known.manifest(),
                0,
                known.leaving());
    }

    @Test
    void promotingALearnerThatIsBehindIsNoticed() {
        noticed("a quorum is made to depend on", promotingALearnerThatIsBehind());
    }

    /** Looking for the smallest part plays the schedule many times: once is enough. */
    @Test
    void aFailureTellsItsSeed() {
        Supplier<Tampering> tampering = promotingALearnerThatIsBehind();
        long seed = Schedules.joins()
                .violating("a quorum is made to depend on", 1, ENOUGH, tampering)
                .orElseThrow();

        String told = Schedules.joins().story(seed, tampering);

        assertTrue(told.contains("-Dkjadm.simulation.seed=" + seed), told);
    }

    private static Supplier<Tampering> promotingALearnerThatIsBehind() {
        return instead((facts, decision) -> {
            boolean learnerProgress = decision instanceof JoinDecision.Wait wait
                    && wait.reason() == WaitReason.CATCHING_UP
                    && wait.progress()
                            .filter(progress -> progress.percent() >= 90)
                            .isPresent();
            return learnerProgress
                    ? own(facts)
                            .<JoinDecision>map(
                                    own -> new JoinDecision.Promote(promoting(facts, own), own, ""))
                            .orElse(decision)
                    : decision;
        });
    }

    @Test
    void promotingWhileAVoterIsDownIsNoticed() {
        noticed(
                "a learner is promoted while a voter is down",
                instead((facts, decision) -> decision instanceof JoinDecision.Wait wait
                                && wait.reason() == WaitReason.VOTER_UNHEALTHY
                        ? own(facts)
                                .<JoinDecision>map(own ->
                                        new JoinDecision.Promote(promoting(facts, own), own, ""))
                                .orElse(decision)
                        : decision));
    }

    @Test
    void removingTheLearnersOfOthersIsNoticed() {
        noticed(
                "somebody else's member is removed",
                instead((facts, decision) -> decision instanceof JoinDecision.Wait wait
                                && wait.reason() == WaitReason.TOO_MANY_LEARNERS
                                && facts.view() instanceof ClusterView.Seen(var health)
                                && !health.learners().isEmpty()
                        ? new JoinDecision.RemoveBlockingLearner(
                                health.learners().getFirst(), "it is in the way")
                        : decision));
    }

    @Test
    void sendingAnAddAgainBlindlyIsNoticed() {
        noticed(
                "an add is sent while an earlier one may still come",
                instead((facts, decision) -> decision instanceof JoinDecision.Wait wait
                                && wait.reason() == WaitReason.UNCONFIRMED
                                && facts.journal()
                                        .filter(entry -> entry.state() == JoinState.ADDING)
                                        .isPresent()
                                && !facts.rollingBack()
                        ? new JoinDecision.Add(facts.journal().orElseThrow())
                        : decision));
    }

    @Test
    void takingBackWithoutWaitingForAPromotionIsNoticed() {
        noticed(
                "a removal is sent while a promotion may still come",
                2_600,
                instead((facts, decision) -> decision instanceof JoinDecision.Wait wait
                                && facts.rollingBack()
                                && wait.reason() == WaitReason.UNCONFIRMED
                        ? own(facts)
                                .<JoinDecision>map(own -> new JoinDecision.RemoveOwnLearner(
                                        facts.journal().orElseThrow(), own))
                                .orElse(decision)
                        : decision));
    }

    @Test
    void notTakingBackIsNoticed() {
        noticed(
                "the failed join of machine",
                instead((facts, decision) -> decision instanceof JoinDecision.RemoveOwnLearner
                        ? new JoinDecision.RolledBack(
                                new RollbackOutcome.NothingListed(), Optional.empty())
                        : decision));
    }

    @Test
    void startingAVoterThatLostItsDataIsNoticed() {
        noticed(
                "a voter that lost its data is started",
                instead((facts, decision) -> decision
                                        instanceof
                                        JoinDecision.RemoveBlockingLearner(var member, String why)
                                && member.voter()
                        ? new JoinDecision.WriteManifest(
                                new JoinEntry(
                                        JoinState.MANIFEST,
                                        "run",
                                        EtcdModel.CLUSTER,
                                        member.name(),
                                        member.peerUrls().getFirst(),
                                        facts.now(),
                                        List.of(),
                                        Optional.of(member.id()),
                                        Optional.empty(),
                                        0,
                                        false),
                                List.of(member),
                                member)
                        : decision));
    }

    @Test
    void waitingForEverIsNoticed() {
        noticed("never ends", () -> new Tampering() {
            @Override
            Function<JoinFacts, JoinDecision> decider(Function<JoinFacts, JoinDecision> real) {
                return facts -> real.apply(facts) instanceof JoinDecision.Fail
                        ? new JoinDecision.Wait(
                                WaitReason.STARTING,
                                "still hoping",
                                Duration.ofMinutes(1),
                                Optional.empty())
                        : real.apply(facts);
            }

            @Override
            boolean waitsForEver() {
                return true;
            }
        });
    }

    @Test
    void callingPeersForEverIsNoticed() {
        noticed("never ends", () -> new Tampering() {
            @Override
            Function<JoinFacts, JoinDecision> decider(Function<JoinFacts, JoinDecision> real) {
                return facts -> real.apply(facts)
                                        instanceof
                                        JoinDecision.Promote(var entry, var learner, var message)
                                && facts.view() instanceof ClusterView.Seen seen
                        ? new JoinDecision.CallPeers(seen.health().voters())
                        : real.apply(facts);
            }

            @Override
            boolean waitsForEver() {
                return true;
            }
        });
    }

    /** What has changed since the decision, as when somebody promotes the learner, is not seen. */
    @Test
    void removingWithoutASecondLookIsNoticed() {
        noticed("a voter is removed without a request", 4_900, () -> new Tampering() {
            private boolean decided;
            private List<Member> last = List.of();

            @Override
            Function<JoinFacts, JoinDecision> decider(Function<JoinFacts, JoinDecision> real) {
                return facts -> {
                    JoinDecision decision = real.apply(facts);
                    decided = decision instanceof JoinDecision.RemoveBlockingLearner
                            || decision instanceof JoinDecision.RemoveOwnLearner;
                    return decision;
                };
            }

            @Override
            EtcdCluster joining(EtcdCluster real) {
                return new Forwarding(real) {
                    @Override
                    public List<Member> members() {
                        last = decided ? last : super.members();
                        decided = false;
                        return last;
                    }
                };
            }
        });
    }

    @Test
    void takingWhoeverHasTheAddressForOnesOwnIsNoticed() {
        noticed("a reset removes another machine's member", () -> new Tampering() {
            @Override
            EtcdCluster resetting(EtcdCluster real, Host host) {
                return new Forwarding(real) {
                    @Override
                    public MemberStatus status(URI clientUrl) {
                        return super.status(host.clientUrl);
                    }
                };
            }

            @Override
            HostFiles disk(HostFiles real) {
                return new ForwardingFiles(real) {
                    @Override
                    public Optional<byte[]> readBytes(Path path) {
                        return path.toString().endsWith(".wal")
                                ? Optional.of(new byte[0])
                                : super.readBytes(path);
                    }
                };
            }
        });
    }

    /** Neither is a refusal told from a silence, nor are the others counted. */
    @Test
    void stoppingAVoterThatIsNeededIsNoticed() {
        noticed("a listed voter is stopped that the others need", 110, () -> new Tampering() {
            @Override
            EtcdCluster resetting(EtcdCluster real, Host host) {
                return new Forwarding(real) {
                    @Override
                    public Map<Member, StatusAnswer> statuses(Collection<Member> members) {
                        Map<Member, StatusAnswer> answers = super.statuses(members);
                        MemberStatus any = answers.values().stream()
                                .flatMap(answer -> answer.status().stream())
                                .filter(status -> !status.leaderId().isNone())
                                .findFirst()
                                .orElse(null);
                        if (any != null) {
                            answers.replaceAll((member, answer) ->
                                    StatusAnswer.of(Schedules.as(member.id(), any)));
                        }
                        return answers;
                    }

                    @Override
                    public void remove(MemberId member) {
                        throw EtcdModel.refused(
                                RpcKind.CHANGE, RpcCode.DEADLINE_EXCEEDED, "deadline exceeded");
                    }
                };
            }
        });
    }

    @Test
    void erasingTheJournalOfAJoinWithoutALookIsNoticed() {
        noticed("was reset and is listed", 70, () -> new Tampering() {
            @Override
            HostFiles disk(HostFiles real) {
                return new ForwardingFiles(real) {
                    @Override
                    public Optional<byte[]> readBytes(Path path) {
                        return path.endsWith("kjadm-etcd-join")
                                ? Optional.empty()
                                : super.readBytes(path);
                    }
                };
            }
        });
    }

    @Test
    void interruptingARollBackIsNoticed() {
        noticed("left its learner behind", 120, () -> new Tampering() {
            @Override
            boolean interruptsEverything() {
                return true;
            }
        });
    }

    private static Optional<Member> own(JoinFacts facts) {
        return facts.view() instanceof ClusterView.Seen(var health)
                ? facts.journal().flatMap(JoinEntry::memberId).flatMap(health::find)
                : Optional.empty();
    }
}
