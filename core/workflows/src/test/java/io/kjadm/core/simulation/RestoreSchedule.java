package io.kjadm.core.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * What happens to machines with an etcd of one cluster, and what their operators do.
 *
 * @param machines how many, three to five
 * @param late     how many of them, the last ones, are no members at first
 * @param balanced whether the API servers are behind a load balancer that every machine reaches
 * @param ownDisks machines whose data directory is a disk of its own
 */
record RestoreSchedule(
        long seed,
        int machines,
        int late,
        boolean balanced,
        List<Integer> ownDisks,
        List<Event> events) {

    /** What happens. */
    enum Kind {
        /** A machine has no power any more. */
        POWER_CUT,
        /** No machine has power any more. */
        POWER_CUT_ALL,
        /** A machine boots. */
        BOOT,
        /** A machine boots, and its disk is not there yet. */
        BOOT_WITHOUT_DISK,
        BOOT_ALL,
        /** The disk of a machine is mounted late. */
        MOUNT,
        /** All data of etcd on a machine are gone. */
        LOSE_DISK,
        /** Port 2379 of another machine is closed to a machine. */
        CLOSE_CLIENTS,
        /** Port 2380 of another machine is closed to a machine; connections that exist stay. */
        CLOSE_PEERS,
        /** Both ports, both ways, between a machine and all others. */
        ISOLATE,
        OPEN_ALL,
        /** What kjadm advises: {@code systemctl disable --now kubelet; pkill -x etcd}. */
        SHUT_OFF,
        /** The kubelet is enabled and started. */
        KUBELET,
        /** The clock of a machine jumps. */
        CLOCK,
        /** Months pass in which nothing else happens. */
        MONTHS,
        /** {@code kjadm etcd snapshot restore}. */
        RESTORE,
        /** {@code kjadm etcd recover --apply}. */
        RECOVER,
        UNDO,
        /** {@code kjadm etcd recover --collect}; the file is kept and used from then on. */
        COLLECT,
        /** {@code kjadm etcd recover} with all files that were collected. */
        REPORT,
        /** {@code kjadm reset --force} and {@code kjadm join}; the join alone of one that is late. */
        REJOIN,
        /** {@code kjadm reset --force}. */
        LEAVE,
        /** The next command on a machine is killed at one of its changes. */
        KILL,
        /** The power of a machine goes at one of the changes of the next command. */
        POWER_CUT_AT
    }

    /** Whom an operator gives up by name. */
    enum Names {
        NONE,
        /** Those without data and those that are shut off, as it is. */
        THE_LOST,
        /** All others, by mistake. */
        ALL_OTHERS,
        /** One that is chosen at random, besides those that are lost. */
        A_WRONG_ONE,
        /** {@code no-others}. */
        NO_OTHERS
    }

    /**
     * Something that happens.
     *
     * @param at      milliseconds from the beginning
     * @param machine to which, or on which
     * @param other   another machine, if there is one
     * @param amount  a number of changes, or a number of milliseconds
     */
    record Event(long at, Kind kind, int machine, int other, Names names, long amount) {
        @Override
        public String toString() {
            return "%d s: %s %d%s"
                    .formatted(
                            at / 1000,
                            kind,
                            machine,
                            switch (kind) {
                                case RESTORE, RECOVER, REPORT -> " naming " + names;
                                case CLOSE_CLIENTS, CLOSE_PEERS -> " of " + other;
                                case CLOCK, KILL, POWER_CUT_AT -> " " + amount;
                                default -> "";
                            });
        }
    }

    /** The end: everything is powered, mounted and connected again, and runs for a while. */
    long end() {
        return events.stream().mapToLong(Event::at).max().orElse(0) + 30_000;
    }

    static RestoreSchedule of(long seed) {
        return new Maker(seed).make();
    }

    RestoreSchedule with(List<Event> fewer) {
        return new RestoreSchedule(seed, machines, late, balanced, ownDisks, fewer);
    }

    @Override
    public String toString() {
        return "%d machines, %d of them late%s, disks of their own %s: %s"
                .formatted(machines, late, balanced ? ", a load balancer" : "", ownDisks, events);
    }

    /** Makes a schedule of a beginning that leads somewhere, and of what comes by chance. */
    private static final class Maker {

        private static final long[] JUMPS = {
            -40L * 86_400_000, -3_600_000, -600_000, 600_000, 3_600_000, 40L * 86_400_000
        };

        private final long seed;
        private final Random random;
        private final int machines;
        private final List<Event> events = new ArrayList<>();
        private int late;
        private long at = 5_000;

        Maker(long seed) {
            this.seed = seed;
            this.random = new Random(seed * 0x9E3779B97F4A7C15L);
            this.machines = 3 + random.nextInt(3);
        }

        RestoreSchedule make() {
            List<Integer> ownDisks = IntStream.rangeClosed(1, machines)
                    .filter(_ -> random.nextInt(3) == 0)
                    .boxed()
                    .toList();
            begin(ownDisks);
            int more = random.nextInt(8);
            for (int i = 0; i < more; i++) {
                byChance();
            }
            events.sort((one, other) -> Long.compare(one.at(), other.at()));
            return new RestoreSchedule(
                    seed, machines, late, random.nextInt(3) == 0, ownDisks, List.copyOf(events));
        }

        private int any() {
            return 1 + random.nextInt(machines);
        }

        private int otherThan(int machine) {
            return 1 + (machine + random.nextInt(machines - 1)) % machines;
        }

        private void add(Kind kind, int machine, Names names, long amount) {
            events.add(new Event(at, kind, machine, otherThan(machine), names, amount));
            at += random.nextInt(4) == 0 ? random.nextInt(60_000) : random.nextInt(6_000);
        }

        private void add(Kind kind, int machine) {
            add(kind, machine, Names.NONE, 0);
        }

        private Names names() {
            return switch (random.nextInt(8)) {
                case 0 -> Names.NONE;
                case 1, 2 -> Names.ALL_OTHERS;
                case 3 -> Names.A_WRONG_ONE;
                case 4 -> Names.NO_OTHERS;
                default -> Names.THE_LOST;
            };
        }

        private void command(Kind kind, int machine, Names names) {
            if (random.nextInt(3) == 0) {
                add(
                        random.nextBoolean() ? Kind.KILL : Kind.POWER_CUT_AT,
                        machine,
                        names,
                        1 + random.nextInt(40));
            }
            add(kind, machine, names, 0);
        }

        private Kind restores() {
            return random.nextBoolean() ? Kind.RESTORE : Kind.RECOVER;
        }

        /** Something after which a restore may begin. */
        private void begin(List<Integer> ownDisks) {
            int one = any();
            switch (random.nextInt(11)) {
                case 0, 1 -> theOthersComeBack(one);
                case 2 -> portsAreClosed(one);
                case 3, 4 -> disksAreLost(one);
                case 5 -> anAbandonedRestore(one);
                case 6 -> twoSurvivors(one);
                case 7 -> oldEvidence(one);
                case 8 -> aMemberThatKnewALeader(one);
                case 9 -> aListThatIsOutOfDate();
                default ->
                    lateDisk(
                            ownDisks.isEmpty()
                                    ? one
                                    : ownDisks.get(random.nextInt(ownDisks.size())));
            }
        }

        private IntStream othersThan(int machine) {
            return IntStream.rangeClosed(1, machines).filter(other -> other != machine);
        }

        /** At once. */
        private void all(Kind kind, int one, boolean towards) {
            othersThan(one)
                    .forEach(other -> events.add(new Event(
                            at,
                            kind,
                            towards ? one : other,
                            towards ? other : one,
                            Names.NONE,
                            0)));
        }

        /** All are off, one is restored, and the others are there again before that has ended. */
        private void theOthersComeBack(int one) {
            boolean power = random.nextBoolean();
            if (random.nextInt(3) == 0) {
                all(Kind.CLOSE_CLIENTS, one, true);
            }
            all(power ? Kind.POWER_CUT : Kind.SHUT_OFF, one, false);
            at += 1_000 + random.nextInt(6_000);
            command(restores(), one, random.nextInt(4) == 0 ? names() : Names.ALL_OTHERS);
            at = events.getLast().at() + 500L * random.nextInt(16);
            all(power ? Kind.BOOT : Kind.KUBELET, one, false);
            at += 1_000 + random.nextInt(8_000);
            add(Kind.BOOT, one);
            add(restores(), one, Names.ALL_OTHERS, 0);
        }

        /** To one machine, that may have no member of its own that runs. */
        private void portsAreClosed(int one) {
            if (random.nextInt(3) == 0) {
                add(Kind.LOSE_DISK, one);
            }
            all(Kind.CLOSE_CLIENTS, one, true);
            if (random.nextBoolean()) {
                all(Kind.CLOSE_PEERS, one, true);
            }
            at += 5_000;
            command(restores(), one, Names.ALL_OTHERS);
        }

        private void disksAreLost(int one) {
            int lost = machines / 2 + random.nextInt(2);
            for (int i = 0; i < lost; i++) {
                add(
                        random.nextInt(4) == 0 ? Kind.SHUT_OFF : Kind.LOSE_DISK,
                        1 + (one + i) % machines);
            }
            if (random.nextBoolean()) {
                add(Kind.COLLECT, any());
                add(Kind.COLLECT, any());
            }
            if (random.nextBoolean()) {
                all(Kind.SHUT_OFF, one, false);
                at += 5_000;
            }
            command(restores(), one, names());
            command(restores(), random.nextBoolean() ? one : any(), names());
        }

        private void anAbandonedRestore(int one) {
            all(Kind.SHUT_OFF, one, false);
            at += 5_000;
            add(
                    random.nextBoolean() ? Kind.KILL : Kind.POWER_CUT_AT,
                    one,
                    Names.NONE,
                    1 + random.nextInt(40));
            add(Kind.RESTORE, one, Names.ALL_OTHERS, 0);
            at += 8_000;
            all(Kind.KUBELET, one, false);
            add(Kind.BOOT, one);
            at += 5_000;
            if (random.nextInt(3) == 0) {
                add(Kind.COLLECT, one);
                add(Kind.REPORT, otherThan(one), names(), 0);
            }
            add(Kind.REJOIN, one);
            add(Kind.UNDO, one);
        }

        /** Two that do not reach each other, and each of them may be recovered. */
        private void twoSurvivors(int one) {
            int other = otherThan(one);
            othersThan(one)
                    .filter(lost -> lost != other)
                    .forEach(lost ->
                            events.add(new Event(at, Kind.LOSE_DISK, lost, one, Names.NONE, 0)));
            at += 5_000;
            add(Kind.COLLECT, one);
            add(Kind.COLLECT, other);
            add(Kind.ISOLATE, one);
            command(Kind.RECOVER, one, Names.THE_LOST);
            command(Kind.RECOVER, other, Names.THE_LOST);
        }

        /** A disk was seen to be empty, its machine became a member again, and months went by. */
        private void oldEvidence(int one) {
            int other = otherThan(one);
            add(Kind.POWER_CUT, one);
            add(Kind.LOSE_DISK, other);
            add(Kind.COLLECT, other);
            at += 1_000;
            add(Kind.REJOIN, other);
            if (random.nextBoolean()) {
                add(Kind.MONTHS, one);
            }
            add(Kind.ISOLATE, one);
            add(Kind.BOOT, one);
            at += 4_000;
            add(Kind.REPORT, one, names(), 0);
            command(restores(), one, names());
        }

        /** Its data are lost, or its machine boots, before or after a restore was refused. */
        private void aMemberThatKnewALeader(int one) {
            all(Kind.CLOSE_CLIENTS, one, true);
            all(Kind.CLOSE_PEERS, one, true);
            at += 5_000;
            events.add(new Event(at, Kind.RESTORE, one, one, Names.ALL_OTHERS, 0));
            at += 1_000L * random.nextInt(20);
            if (random.nextBoolean()) {
                add(Kind.LOSE_DISK, one);
            } else {
                events.add(new Event(at, Kind.POWER_CUT, one, one, Names.NONE, 0));
                at += 500L * (1 + random.nextInt(4));
                events.add(new Event(at, Kind.BOOT, one, one, Names.NONE, 0));
                at += 100L * random.nextInt(6);
            }
            command(restores(), one, Names.ALL_OTHERS);
        }

        /** While one is off, others take the places of those that it lists. */
        private void aListThatIsOutOfDate() {
            late = machines - 3;
            int one = 1 + random.nextInt(3);
            add(Kind.POWER_CUT, one);
            for (int number = 4; number <= machines; number++) {
                add(Kind.REJOIN, number);
            }
            int more = 1 + random.nextInt(2);
            for (int i = 1; i <= more; i++) {
                add(Kind.LEAVE, 1 + (one - 1 + i) % 3);
            }
            all(Kind.CLOSE_CLIENTS, one, true);
            if (random.nextBoolean()) {
                all(Kind.CLOSE_PEERS, one, true);
            }
            add(random.nextBoolean() ? Kind.ISOLATE : Kind.COLLECT, one);
            add(Kind.BOOT, one);
            at += random.nextInt(5_000);
            command(restores(), one, Names.ALL_OTHERS);
        }

        private void lateDisk(int one) {
            add(Kind.POWER_CUT, one);
            add(Kind.BOOT_WITHOUT_DISK, one);
            at += 2_000;
            add(Kind.COLLECT, one);
            command(Kind.REPORT, otherThan(one), names());
            command(restores(), one, names());
            add(Kind.MOUNT, one);
        }

        private void byChance() {
            Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
            switch (kind) {
                case RESTORE, RECOVER, REPORT -> command(kind, any(), names());
                case CLOCK -> add(kind, any(), Names.NONE, JUMPS[random.nextInt(JUMPS.length)]);
                case KILL, POWER_CUT_AT -> command(restores(), any(), names());
                default -> add(kind, any());
            }
        }
    }
}
