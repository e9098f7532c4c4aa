package io.kjadm.core.simulation;

import io.kjadm.core.auto.AutoStage;
import io.kjadm.etcd.Quorum;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.Decision;
import io.kjadm.etcd.auto.Seat;
import io.kjadm.etcd.auto.WaitCode;
import io.kjadm.etcd.model.ModelServer;
import io.kjadm.etcd.model.Violation;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What an {@link AutoSimulation} has to come to after its last fault: every machine is idle, or waits for
 * what is truly missing.
 */
final class AutoEnd {

    private static final long PATIENCE = 30 * 60_000L;
    /** A put that was lost may come that late. */
    private static final long LATE = 10 * 60_000L;
    /** What is the same for so long stays so. */
    private static final long STEADY = 90_000;

    private static final int APPENDS = 20;
    /** Voters that are removed before a person has to look. */
    private static final int A_DAY = 3;

    private final AutoSimulation stage;
    private long steadySince = -1;
    private String steady = "";
    private boolean played;

    AutoEnd(AutoSimulation stage) {
        this.stage = stage;
    }

    /** Whether nothing was missing for long enough. */
    boolean came() {
        return played;
    }

    /** Once a second after the last fault. */
    void check() {
        // what a person did may be seen late
        stage.now.members().held().ifPresent(_ -> stage.operator.resume());
        String missing = missing();
        if (!missing.equals(steady)) {
            steady = missing;
            steadySince = stage.world.now();
        }
        long since = stage.world.now() - stage.calm;
        if (missing.isEmpty()) {
            played = stage.world.now() - steadySince > STEADY;
        } else if (since > PATIENCE + LATE) {
            throw new Violation(
                    "%d min after the last fault: %s".formatted(since / 60_000, missing));
        }
        if (stage.appends > APPENDS * (1 + since / 3_600_000) * stage.schedule.machines()) {
            throw new Violation(
                    "%d entries were written in %d min".formatted(stage.appends, since / 60_000));
        }
    }

    /** What a machine waits for that is there; empty if there is no such thing. */
    private String missing() {
        List<AutoMachine> left = stage.machines.stream()
                .filter(machine -> !machine.gone && machine.original.isEmpty())
                // one that cannot set up etcd is owed nothing, unless it did so before
                .filter(machine -> !machine.broken || machine.host.data.isPresent())
                // a person finds out why its disk has the data of an earlier member, or of its copy
                .filter(machine -> machine.former.isEmpty() && !wasCopied(machine)
                        || !machine.waitsForItsDisk())
                // and clears one whose member was removed before it was claimed
                .filter(machine -> !removedUnmarked(machine))
                .toList();
        for (AutoMachine machine : left) {
            if (machine.last.isEmpty()) {
                return "machine %d has taken no turn".formatted(machine.host.number);
            }
        }
        List<WaitCode> codes = left.stream()
                .map(machine -> machine.last.orElseThrow().outcome().decision())
                .map(decision -> decision instanceof Decision.Wait(WaitCode code, var _, var _)
                        ? code
                        : null)
                .toList();
        if (stage.isRetired()) {
            // persons do everything from then on
            return "";
        }
        if (stage.schedule.tampers() && !stage.operator.hasRepaired()) {
            // a log that somebody has cut is noticed within the hour; until then nothing is owed
            boolean paused = stage.longest.pause().isPresent()
                    || left.stream()
                            .map(machine -> machine.last.orElseThrow().facts().charter())
                            .anyMatch(read -> read.pause().isPresent());
            // whoever cut it may also have cut off that clients use the cluster
            boolean gone = stage.promises.everOpen().stream()
                    .filter(cluster -> !stage.ended.contains(cluster))
                    .map(stage.generations::get)
                    .anyMatch(this::quorumGone);
            return paused || gone || outOfReach(stage.longest) ? "" : serving();
        }
        boolean founderWaits = stage.now.phase() == Phase.FORMING
                && stage.machines.stream()
                        .anyMatch(machine -> machine.id().equals(stage.now.founder())
                                && machine.former.isPresent()
                                && machine.waitsForItsDisk());
        if (founderWaits) {
            return "";
        }
        long usable = left.size();
        int nodes = stage.now.seed().spec().nodes();
        int needed = stage.now.seed().spec().formWith();
        if (usable < needed && stage.now.phase() != Phase.OPEN) {
            return all(
                    left,
                    codes,
                    Set.of(
                            WaitCode.MACHINES,
                            WaitCode.SPARE,
                            WaitCode.HEALTHY,
                            WaitCode.LOST,
                            WaitCode.FENCE,
                            WaitCode.RESTORE));
        }
        if (stage.now.phase() != Phase.OPEN) {
            return "%d machines are usable, and no cluster is ready: %s".formatted(usable, codes);
        }
        long lost = stage.now.voters().stream().filter(this::lost).count();
        if (outOfReach(stage.now)) {
            return "";
        }
        List<Seat> unclaimed = stage.now.voters().stream()
                .filter(seat -> seat.machine().isEmpty())
                .toList();
        if (!unclaimed.isEmpty()) {
            // what is lost before its machine has claimed it is removed by a person
            return unclaimed.stream().allMatch(this::lost)
                    ? serving()
                    : "voters are on no machine: " + unclaimed;
        }
        if (stage.schedule.adopted() && stage.machines.stream().anyMatch(this::lostUnmarked)) {
            // neither: what etcd was set up with before is not known to have had a disk
            return serving();
        }
        if (codes.contains(WaitCode.PACE) && stage.removed >= A_DAY) {
            // so many were removed that a person has to look
            return serving();
        }
        // a voter is replaced if others can take its place, and all other voters are healthy
        long wanted = Math.min(nodes, usable + lost);
        // of two lost ones none leaves
        boolean stays = lost > 1 && stage.now.hasSurplus();
        if (stage.now.voters().size() != wanted && !stays
                || lost == 1
                        && stage.now.voters().size() >= 3
                        && usable >= stage.now.voters().size()) {
            return "%d of %d voters, %d of them lost: %s"
                    .formatted(stage.now.voters().size(), wanted, lost, codes);
        }
        String serving = serving();
        if (!serving.isEmpty()) {
            return serving;
        }
        return all(
                left,
                codes,
                wanted < nodes || lost > 0
                        ? Set.of(WaitCode.SPARE, WaitCode.HEALTHY, WaitCode.LOST)
                        : Set.of());
    }

    /** Whether the data of a member were lost between its machine's claim and the mark of the disk. */
    private boolean lostUnmarked(AutoMachine machine) {
        return !machine.host.files.exists(AutoStage.NOTE)
                && machine.id().flatMap(stage.now::seat).filter(this::lost).isPresent();
    }

    /** Whether a machine has data of a member that was removed before the disk was marked. */
    private boolean removedUnmarked(AutoMachine machine) {
        return stage.schedule.adopted()
                && !machine.host.files.exists(AutoStage.NOTE)
                && machine.host
                        .data
                        .filter(member -> !stage.now.voterIds().contains(member))
                        .isPresent();
    }

    private boolean wasCopied(AutoMachine machine) {
        return stage.machines.stream()
                .anyMatch(copy -> copy.original.filter(machine::equals).isPresent());
    }

    /** Whether only a restore helps. */
    private boolean outOfReach(Charter charter) {
        if (charter.phase() != Phase.OPEN) {
            return false;
        }
        long lost = charter.voters().stream().filter(this::lost).count();
        int voters = charter.voters().size();
        // a person may have removed one of them, and nobody could write that
        return voters - lost < new Quorum(voters).size()
                || quorumGone(stage.generation(charter).orElseThrow());
    }

    private boolean quorumGone(AutoGeneration generation) {
        List<ModelServer> voters = generation.model.servers.stream()
                .filter(server -> !server.learner)
                .toList();
        long gone = voters.stream().filter(this::gone).count();
        return voters.size() - gone < new Quorum(voters.size()).size();
    }

    private boolean gone(ModelServer server) {
        return !server.holdsData()
                || stage.machines.stream()
                        .anyMatch(machine ->
                                server.machine.filter(machine.host::equals).isPresent()
                                        && (machine.gone
                                                || machine.former.equals(Optional.of(server.id))));
    }

    /** Whether the machine of a voter, or its data, will not come back. */
    private boolean lost(Seat seat) {
        if (seat.machine().isEmpty()) {
            return stage.generation(stage.now).orElseThrow().model.servers.stream()
                    .filter(server -> server.id.equals(seat.id()))
                    .allMatch(this::gone);
        }
        // a machine that was put back to before its first start is another one
        return stage.machines.stream()
                .filter(machine -> machine.original.isEmpty()
                        && machine.id().filter(seat::on).isPresent())
                .allMatch(machine -> machine.gone
                        || machine.former.equals(Optional.of(seat.id()))
                        || machine.host.data.filter(seat.id()::equals).isEmpty());
    }

    /** Every machine is idle or waits for one of these. */
    private String all(List<AutoMachine> left, List<WaitCode> codes, Set<WaitCode> waits) {
        Set<WaitCode> allowed = new HashSet<>(waits);
        if (stage.machines.stream().anyMatch(machine -> machine.broken)) {
            // it tries again from time to time
            allowed.addAll(Set.of(WaitCode.CHANGE, WaitCode.FOUNDER, WaitCode.TURN));
        }
        for (int i = 0; i < codes.size(); i++) {
            Decision decision = left.get(i).last.orElseThrow().outcome().decision();
            boolean fine = decision instanceof Decision.Idle
                    || codes.get(i) != null && allowed.contains(codes.get(i));
            if (!fine) {
                return "machine %d does not end: %s"
                        .formatted(i, codes.get(i) == null ? decision : codes.get(i));
            }
        }
        return "";
    }

    private String serving() {
        return stage.promises.everOpen().stream()
                        .filter(cluster -> !stage.ended.contains(cluster))
                        .map(stage.generations::get)
                        .allMatch(generation -> generation.model.serving())
                ? ""
                : "the cluster that clients use does not serve";
    }
}
