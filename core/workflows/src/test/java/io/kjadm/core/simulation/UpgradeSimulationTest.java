package io.kjadm.core.simulation;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.kjadm.core.etcd.Forwarding;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.StatusAnswer;

import org.junit.jupiter.api.Test;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * Plays many random schedules in which members get another version of etcd, others join or leave,
 * programs are killed and machines fail; what is played is production's upgrade of a control plane.
 * A member that starts is of the version that its manifest says; the cluster version rises with the
 * last one, and then no older etcd starts.
 *
 * <p>{@code -Dkjadm.simulation.upgrades=N} plays N, and {@code -Dkjadm.simulation.upgrade=N} the one
 * of that seed, telling what the programs say.
 */
class UpgradeSimulationTest {

    private static final long SCHEDULES = Long.getLong("kjadm.simulation.upgrades", 40);
    private static final long ENOUGH = 2_000;
    private static final Supplier<Tampering> AS_IT_IS = Tampering::new;

    @Test
    void everyScheduleKeepsEveryPromise() {
        Long one = Long.getLong("kjadm.simulation.upgrade");
        Schedules.upgrades()
                .failing(one == null ? 1 : one, one == null ? SCHEDULES : 1, AS_IT_IS)
                .ifPresent(seed -> fail(Schedules.upgrades().story(seed, AS_IT_IS)));
    }

    /** @param first where the search begins, shortly before a seed that showed it */
    private static void noticed(
            String violation, long first, Supplier<? extends Tampering> tampering) {
        OptionalLong failing = Schedules.upgrades().violating(violation, first, ENOUGH, tampering);
        assertTrue(failing.isPresent(), "no check noticed that " + violation);
    }

    @Test
    void restartingAMemberThatTheOthersNeedIsNoticed() {
        noticed("a listed voter is stopped that the others need", 100, () -> new Tampering() {
            @Override
            EtcdCluster upgrading(EtcdCluster real, Host host) {
                return new Forwarding(real) {
                    @Override
                    public Map<Member, StatusAnswer> statuses(Collection<Member> members) {
                        Map<Member, StatusAnswer> answers =
                                new LinkedHashMap<>(super.statuses(members));
                        Optional<MemberStatus> any = answers.values().stream()
                                .flatMap(answer -> answer.status().stream())
                                .findFirst();
                        any.ifPresent(known -> answers.replaceAll(
                                (member, answer) -> answer.status().isPresent()
                                        ? answer
                                        : StatusAnswer.of(Schedules.as(member.id(), known))));
                        return answers;
                    }
                };
            }
        });
    }

    @Test
    void goingBackAfterTheClusterVersionHasRisenIsNoticed() {
        noticed("was given an etcd that does not start", 1, () -> new Tampering() {
            @Override
            EtcdCluster upgrading(EtcdCluster real, Host host) {
                return new Forwarding(real) {
                    @Override
                    public Map<Member, StatusAnswer> statuses(Collection<Member> members) {
                        Map<Member, StatusAnswer> answers =
                                new LinkedHashMap<>(super.statuses(members));
                        answers.replaceAll((member, answer) -> answer.status()
                                .map(status -> StatusAnswer.of(Schedules.unrisen(status)))
                                .orElse(answer));
                        return answers;
                    }
                };
            }
        });
    }
}
