package io.kjadm.core.simulation;

import io.kjadm.core.restore.SnapshotRestore;
import io.kjadm.core.simulation.RestoreMachine.Serving;
import io.kjadm.core.simulation.RestoreSchedule.Event;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.Quorum;
import io.kjadm.etcd.model.Violation;
import io.kjadm.etcd.model.VirtualWorld;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Plays one {@link RestoreSchedule}: production's restore and recovery run on machines in memory,
 * each run as a thread that waits in virtual time. Two clusters of one never serve clients at the
 * same time, unless the operator gave up by name a voter that was alive and that this machine had
 * no way to see when it looked last, its own member's leader included: one that was all that it saw
 * of the others counts for some minutes after its member has stopped responding. And a report never
 * says that a disk has no data that it has.
 */
final class RestoreSimulation {

    /** That all restored data have. */
    static final long RESTORED_REVISION = 5 * SnapshotRestore.BUMP_REVISIONS;

    static final List<String> NOWHERE = new ArrayList<>();

    private static final long SECOND = 1_000;
    /** A member forgets a leader that is gone. */
    private static final long FORGETS = 3_000;
    /** For all to boot, and to find each other. */
    private static final long LAST = 40_000;
    /** Evidence of a time before is old. */
    static final Duration FRESH = Duration.ofMinutes(15);

    /** How a play ends. */
    record Outcome(Optional<String> violation, int founded, boolean excused, int refused) {}

    final RestoreSchedule schedule;
    final RestoreRules missing;
    private final List<String> log;
    final VirtualWorld world = new VirtualWorld();
    final Random random;
    final List<RestoreMachine> machines = new ArrayList<>();
    final Cast cast = new Cast(world, this::ended);
    final RestoreNetwork network = new RestoreNetwork(this);
    final RestoreFoundings foundings = new RestoreFoundings(this);
    private final RestoreCommands commands;
    private long months;
    private long ids = 100;

    private RestoreSimulation(RestoreSchedule schedule, RestoreRules missing, List<String> log) {
        this.schedule = schedule;
        this.missing = missing;
        this.log = log;
        this.random = new Random(schedule.seed());
        List<Member> cluster = RestoreMachine.cluster(schedule.machines() - schedule.late());
        IntStream.rangeClosed(1, schedule.machines())
                .forEach(number -> machines.add(
                        new RestoreMachine(number, schedule.ownDisks().contains(number), cluster)));
        this.commands = new RestoreCommands(this);
    }

    /** Makes what all plays share. */
    static void prepare() {
        play(RestoreSchedule.of(0), RestoreRules.ALL_KEPT, NOWHERE);
    }

    static Outcome play(RestoreSchedule schedule, RestoreRules missing, List<String> log) {
        RestoreSimulation play = new RestoreSimulation(schedule, missing, log);
        Optional<String> violation = Optional.empty();
        try {
            play.play();
        } catch (Violation e) {
            violation = Optional.of(e.getMessage());
        }
        return new Outcome(
                violation,
                play.foundings.count(),
                play.foundings.excused(),
                play.commands.refused());
    }

    private boolean ended() {
        return foundings.excused() || world.now() > schedule.end() + LAST;
    }

    private void play() {
        second();
        schedule.events().forEach(event -> world.in(event.at(), () -> happens(event)));
        world.in(schedule.end(), this::allComeBack);
        cast.play();
    }

    Instant instant() {
        return world.instant().plusMillis(months);
    }

    void log(RestoreMachine host, String line) {
        if (log != NOWHERE) {
            log.add("%d ms, machine %d: %s".formatted(world.now(), host.number, line));
        }
    }

    RestoreMachine machine(int number) {
        return machines.get(number - 1);
    }

    // ---- what happens by itself

    private void second() {
        machines.forEach(machine -> machine.kubelet.look(instant()));
        Map<String, List<RestoreMachine>> clusters = machines.stream()
                .filter(machine -> machine.etcd.isPresent())
                .collect(Collectors.groupingBy(
                        machine -> machine.etcd.get().ids.clusterId(),
                        TreeMap::new,
                        Collectors.toList()));
        clusters.values().forEach(this::elect);
        foundings.check(clusters);
        world.in(SECOND, this::second);
    }

    /** Who knows most and is followed by a quorum of those that it knows. */
    private void elect(List<RestoreMachine> members) {
        List<RestoreMachine> candidates = members.stream()
                .sorted(Comparator.comparingLong(
                                (RestoreMachine machine) -> -machine.etcd.get().index)
                        .thenComparing(machine -> machine.number))
                .toList();
        members.forEach(machine -> machine.etcd.get().led = false);
        for (RestoreMachine candidate : candidates) {
            Serving leader = candidate.etcd.get();
            Set<MemberId> voters =
                    leader.voters().stream().map(Member::id).collect(Collectors.toSet());
            List<RestoreMachine> followers = members.stream()
                    .filter(machine -> voters.contains(machine.etcd.get().ids.memberId()))
                    .filter(machine -> !machine.etcd.get().led)
                    .filter(machine -> machine == candidate || network.linked(candidate, machine))
                    .toList();
            if (followers.size() >= new Quorum(voters.size()).size()
                    && followers.contains(candidate)) {
                followers.forEach(machine -> {
                    machine.apply(leader);
                    machine.etcd.get().led = true;
                    machine.etcd.get().leader = leader.ids.memberId();
                    machine.etcd.get().ledAt = world.now();
                });
            }
        }
        members.stream()
                .map(machine -> machine.etcd.get())
                .filter(etcd -> world.now() - etcd.ledAt > FORGETS)
                .forEach(etcd -> etcd.leader = MemberId.NONE);
    }

    // ---- what happens by the schedule

    private void happens(Event event) {
        RestoreMachine one = machine(event.machine());
        log(one, event.toString());
        switch (event.kind()) {
            case POWER_CUT -> cutPower(one);
            case POWER_CUT_ALL -> machines.forEach(this::cutPower);
            case BOOT -> boot(one);
            case BOOT_WITHOUT_DISK -> {
                if (!one.powered) {
                    one.unmount();
                }
                boot(one);
            }
            case BOOT_ALL -> machines.forEach(this::boot);
            case MOUNT -> one.mount();
            case LOSE_DISK -> one.loseData();
            case CLOSE_CLIENTS -> network.closeClients(event.machine(), event.other());
            case CLOSE_PEERS -> network.closePeers(event.machine(), event.other());
            case ISOLATE -> network.isolate(one);
            case OPEN_ALL -> network.openAll();
            case SHUT_OFF -> one.shutOff();
            case KUBELET -> {
                if (one.powered) {
                    one.startKubelet();
                }
            }
            case CLOCK -> one.clockMillis += event.amount();
            case MONTHS -> months += Duration.ofDays(40).toMillis();
            case RESTORE, RECOVER, UNDO, COLLECT, REPORT -> commands.run(one, event);
            case REJOIN -> leave(one, true);
            case LEAVE -> leave(one, false);
            case KILL -> one.killAt = one.changes + event.amount();
            case POWER_CUT_AT -> one.powerCutAt = one.changes + event.amount();
        }
    }

    private void cutPower(RestoreMachine machine) {
        machine.cutPower();
        machine.runs = Optional.empty();
    }

    private void boot(RestoreMachine machine) {
        if (!machine.powered) {
            machine.runs = Optional.empty();
            machine.boot();
        }
    }

    private void allComeBack() {
        network.openAll();
        machines.forEach(machine -> {
            boot(machine);
            machine.mount();
            machine.startKubelet();
        });
    }

    /** An operator names whom a refusal names, and whom the cluster had at first. */
    boolean knows(RestoreMachine host, RestoreMachine other) {
        return other.number <= machines.size() - schedule.late()
                || host.lists().contains(other.name);
    }

    /** The machine leaves the cluster, and may become a member of the one that serves. */
    private void leave(RestoreMachine machine, boolean joins) {
        Optional<RestoreMachine> served = machines.stream()
                .filter(other -> other != machine)
                .filter(other -> other.etcd.filter(etcd -> etcd.led).isPresent())
                .findFirst();
        if (!machine.powered || machine.runs.isPresent() || served.isEmpty()) {
            return;
        }
        Serving etcd = served.get().etcd.orElseThrow();
        List<Member> rest = etcd.members.stream()
                .filter(member -> !member.name().equals(machine.name))
                .toList();
        long live = machines.stream()
                .filter(other -> other != machine)
                .flatMap(other -> other.etcd.stream())
                .filter(other -> other.led && other.ids.clusterId().equals(etcd.ids.clusterId()))
                .count();
        if (live < new Quorum(rest.size()).size()) {
            return;
        }
        machine.leave(instant());
        List<Member> members = new ArrayList<>(rest);
        MemberIds own = new MemberIds(etcd.ids.clusterId(), new MemberId(ids++));
        if (joins) {
            members.add(RestoreMachine.member(machine.number, own.memberId()));
        }
        etcd.members = List.copyOf(members);
        etcd.index++;
        served.get().changedMembers();
        if (joins) {
            machine.joined = instant();
            machine.join(own, members, etcd.index);
        }
    }
}
