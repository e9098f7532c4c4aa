package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.model.ModelCluster;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The simulation's model is only as good as its likeness to etcd: the same scenes are played on
 * both, and every answer, refusals with their whole texts, has to be the same. Skipped where no
 * etcd is at hand.
 */
@Execution(ExecutionMode.CONCURRENT)
class ModelAgainstEtcdIT {

    @TempDir
    Path folder;

    @RegisterExtension
    final EtcdProcesses etcds = new EtcdProcesses();

    static List<EtcdBinary> learnerVersions() {
        return EtcdBinary.found(EtcdVersion::knowsLearners);
    }

    /** Where a scene is played. Machine 0 is the first voter. */
    private abstract static class Stage {

        private final List<String> answers = new ArrayList<>();

        abstract EtcdCluster cluster();

        abstract URI peerUrl(int machine);

        abstract void start(int machine);

        abstract void stop(int machine);

        abstract void pass(Duration time);

        List<String> answers() {
            return answers;
        }

        /** Notes what an operation is answered, and who is a member afterwards. */
        void ask(String what, Runnable call) {
            String answer =
                    EtcdCallException.of(call).map(EtcdCallException::text).orElse("ok");
            List<Member> members = cluster().members();
            answers.add("%s: %s; then %d voters and %d learners, %d of them started"
                    .formatted(
                            what,
                            answer,
                            members.stream().filter(Member::voter).count(),
                            members.stream().filter(Member::learner).count(),
                            members.stream().filter(Member::started).count()));
        }

        Member member(int machine) {
            return cluster().members().stream()
                    .filter(member -> member.peerUrls().contains(peerUrl(machine)))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(
                            "no member " + machine + " after\n" + String.join("\n", answers)));
        }

        MemberId id(int machine) {
            return member(machine).id();
        }

        void until(Predicate<EtcdHealth> condition) {
            Instant end = Instant.now().plus(EtcdProcesses.LIMIT);
            while (Instant.now().isBefore(end)) {
                try {
                    if (condition.test(EtcdHealth.ask(cluster()))) {
                        return;
                    }
                } catch (EtcdCallException e) {
                    // an election
                }
                pass(Duration.ofMillis(250));
            }
            throw new AssertionError("it did not come so in %s after%n%s"
                    .formatted(EtcdProcesses.LIMIT, String.join("\n", answers)));
        }

        /** A learner that starts and is promoted, and then long enough for connections to count. */
        void grow(int machine) {
            ask("add learner " + machine, () -> cluster().addLearner(peerUrl(machine)));
            start(machine);
            until(health -> health.status(id(machine))
                    .filter(status -> status.appliedIndex() + 5
                            >= health.leaderStatus()
                                    .map(MemberStatus::raftIndex)
                                    .orElse(Long.MAX_VALUE))
                    .isPresent());
            ask("promote " + machine, () -> cluster().promote(id(machine)));
            until(health -> health.healthyVoters() == health.quorum().voters());
            pass(Duration.ofMillis(6_500));
        }
    }

    private static final class ModelStage extends Stage {
        private final ModelCluster cluster;

        ModelStage(String version) {
            cluster = new ModelCluster(version, 6);
        }

        @Override
        EtcdCluster cluster() {
            return cluster;
        }

        @Override
        URI peerUrl(int machine) {
            return cluster.peerUrl(machine);
        }

        @Override
        void start(int machine) {
            cluster.start(machine);
        }

        @Override
        void stop(int machine) {
            cluster.stop(machine);
        }

        @Override
        void pass(Duration time) {
            cluster.pass(time);
        }
    }

    private final class RealStage extends Stage {
        private final EtcdBinary binary;
        private final Map<Integer, URI> urls = new HashMap<>();
        private final Map<Integer, EtcdProcess> processes = new HashMap<>();
        private final EtcdCluster cluster;

        RealStage(EtcdBinary binary) {
            this.binary = binary;
            EtcdProcess first = EtcdProcess.first(binary, folder, "cp-0");
            urls.put(0, first.peerUrl());
            processes.put(0, first);
            try {
                cluster = etcds.leading(first);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        EtcdCluster cluster() {
            return cluster;
        }

        @Override
        URI peerUrl(int machine) {
            URI free = EtcdProcess.freeUrl();
            while (urls.containsValue(free)) {
                free = EtcdProcess.freeUrl();
            }
            urls.putIfAbsent(machine, free);
            return urls.get(machine);
        }

        @Override
        void start(int machine) {
            EtcdProcess process = processes.computeIfAbsent(
                    machine,
                    number -> EtcdProcess.joining(
                            binary,
                            folder,
                            new NewMember("cp-" + machine, peerUrl(machine)),
                            cluster.members()));
            try {
                etcds.start(process);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        void stop(int machine) {
            processes.get(machine).close();
        }

        @Override
        void pass(Duration time) {
            try {
                Thread.sleep(time);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError(e);
            }
        }
    }

    private void same(EtcdBinary binary, Consumer<Stage> scene) {
        List<String> modelled = played(() -> new ModelStage(binary.version().toString()), scene);
        List<String> real = played(() -> new RealStage(binary), scene);
        assertEquals(
                String.join("\n", real), String.join("\n", modelled), "etcd " + binary.version());
    }

    private static List<String> played(Supplier<Stage> stage, Consumer<Stage> scene) {
        Stage it = stage.get();
        scene.accept(it);
        return it.answers();
    }

    @ParameterizedTest
    @MethodSource("learnerVersions")
    void oneVoterAndALearnerThatNeverStarts(EtcdBinary binary) {
        same(binary, stage -> {
            EtcdCluster cluster = stage.cluster();
            stage.ask("add learner 1", () -> cluster.addLearner(stage.peerUrl(1)));
            stage.pass(Duration.ofMillis(1_100));
            stage.ask("add learner 2", () -> cluster.addLearner(stage.peerUrl(2)));
            stage.ask("add learner 1 again", () -> cluster.addLearner(stage.peerUrl(1)));
            stage.ask("add 1 as a voter", () -> cluster.addVoter(stage.peerUrl(1)));
            stage.ask("promote the voter", () -> cluster.promote(stage.id(0)));
            stage.ask("promote an unknown member", () -> cluster.promote(new MemberId(12345)));
            stage.ask("remove an unknown member", () -> cluster.remove(new MemberId(12345)));
            MemberId learner = stage.id(1);
            stage.ask("remove learner 1", () -> cluster.remove(learner));
            stage.ask("remove it again", () -> cluster.remove(learner));
            stage.ask("promote it", () -> cluster.promote(learner));
            stage.pass(Duration.ofMillis(1_100));
            stage.ask("add learner 1 once more", () -> cluster.addLearner(stage.peerUrl(1)));
        });
    }

    @ParameterizedTest
    @MethodSource("learnerVersions")
    void threeAndFourVotersOfWhichOneStops(EtcdBinary binary) {
        same(binary, stage -> {
            EtcdCluster cluster = stage.cluster();
            stage.grow(1);
            stage.grow(2);
            stage.ask("promote 1 again", () -> cluster.promote(stage.id(1)));
            stage.stop(2);
            stage.pass(Duration.ofSeconds(3));
            stage.ask("add learner 3", () -> cluster.addLearner(stage.peerUrl(3)));
            stage.ask("add voter 3", () -> cluster.addVoter(stage.peerUrl(3)));
            stage.ask("remove 1, which runs", () -> cluster.remove(stage.id(1)));
            stage.start(2);
            stage.until(health -> health.healthyVoters() == 3);
            stage.pass(Duration.ofMillis(6_500));
            stage.ask("add learner 3 now", () -> cluster.addLearner(stage.peerUrl(3)));
            stage.ask("remove learner 3", () -> cluster.remove(stage.id(3)));
            // an ID is made of the address and the second, and etcd takes none again that was
            // removed
            stage.pass(Duration.ofMillis(1_100));
            stage.grow(3);
            stage.stop(3);
            stage.pass(Duration.ofSeconds(3));
            // the rule that was relaxed in 3.5.30 and 3.6.11
            stage.ask("add learner 4", () -> cluster.addLearner(stage.peerUrl(4)));
            stage.ask("remove 3, which is down", () -> cluster.remove(stage.id(3)));
        });
    }
}
