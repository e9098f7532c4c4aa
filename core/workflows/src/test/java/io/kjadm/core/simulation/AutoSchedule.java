package io.kjadm.core.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * What happens to machines that form a cluster by themselves; it follows from its seed.
 *
 * @param nodes  how many voters are wanted
 * @param starts when the daemon of each machine is first started, in milliseconds
 * @param old    whether the cluster file is older than an hour
 * @param adopted whether the first machines run the cluster before the automatic mode begins
 */
record AutoSchedule(
        long seed,
        int nodes,
        List<Long> starts,
        boolean old,
        boolean adopted,
        List<AutoFault> faults) {

    /** Most clusters are formed by then. */
    private static final int SOON = 40_000;

    private static final int LATER = 900_000;

    static AutoSchedule of(long seed) {
        Random random = new Random(seed * 7919 + 13);
        int machines = 1 + random.nextInt(5);
        int nodes = 1 + 2 * random.nextInt(3);
        List<Long> starts = new ArrayList<>();
        for (int i = 0; i < machines; i++) {
            starts.add((long) random.nextInt(random.nextInt(6) == 0 ? LATER : SOON / 2));
        }
        List<AutoFault> faults = new ArrayList<>();
        long first = random.nextInt(random.nextInt(4) > 0 ? SOON : LATER);
        int count = 2 + random.nextInt(5);
        long begin = first;
        for (int i = 0; i < count; i++) {
            AutoFault fault = AutoFault.any(random, machines, begin, first + 1);
            faults.add(fault);
            // the next one begins before this one has ended
            begin = fault.at();
            first = Math.max(fault.at(), Math.min(fault.end(), fault.at() + 300_000));
        }
        boolean deleted = faults.stream()
                .anyMatch(fault -> fault.kind() == AutoFault.Kind.ALL_DELETED
                        || fault.kind() == AutoFault.Kind.ROLLED_BACK);
        if (deleted) {
            // machines that live show that there was a log, to those that look long enough
            faults.removeIf(fault -> fault.kind().silences());
        }
        boolean old = deleted || random.nextInt(4) == 0;
        repairs(new Random(seed * 5281 + 3), machines, faults);
        return new AutoSchedule(seed, nodes, starts, old, false, faults);
    }

    /** Persons that see that the log was cut may repair it, from one machine after another. */
    private static void repairs(Random random, int machines, List<AutoFault> faults) {
        faults.stream()
                .filter(fault -> fault.kind().tampers())
                .map(fault -> fault.kind() == AutoFault.Kind.ROLLED_BACK ? fault.end() : fault.at())
                .findFirst()
                .ifPresent(from -> {
                    for (int i = random.nextInt(4); i > 0; i--) {
                        faults.add(new AutoFault(
                                AutoFault.Kind.LOG_REPAIRED,
                                random.nextInt(machines),
                                from + random.nextInt(random.nextBoolean() ? 60_000 : LATER),
                                1_000,
                                0));
                    }
                });
    }

    /** One in which machines are installed again, and keep the data of their members. */
    static AutoSchedule installedAgain(long seed) {
        AutoSchedule any = of(seed);
        Random random = new Random(seed * 4423 + 5);
        List<AutoFault> faults = new ArrayList<>(any.faults().stream()
                .filter(fault ->
                        !fault.kind().tampers() && fault.kind() != AutoFault.Kind.LOG_REPAIRED)
                .toList());
        int all = random.nextInt(3);
        for (int i = 0; i < any.machines(); i++) {
            // most of them, one of them, or any
            boolean again = all == 0 || (all == 1 ? i == 0 : random.nextBoolean());
            if (again) {
                faults.add(new AutoFault(
                        AutoFault.Kind.INSTALLED_AGAIN,
                        i,
                        90_000L + random.nextInt(random.nextBoolean() ? 60_000 : LATER),
                        1_000L + random.nextInt(random.nextBoolean() ? 30_000 : LATER),
                        random.nextInt(2)));
            }
        }
        return new AutoSchedule(seed, any.nodes(), any.starts(), any.old(), false, faults);
    }

    /** One in which root disks are full for a time. */
    static AutoSchedule full(long seed) {
        AutoSchedule any = of(seed);
        Random random = new Random(seed * 3571 + 9);
        List<AutoFault> faults = new ArrayList<>(any.faults());
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            faults.add(new AutoFault(
                    AutoFault.Kind.DISK_FULL,
                    random.nextInt(any.machines()),
                    random.nextInt(random.nextBoolean() ? SOON : LATER),
                    1_000L + random.nextInt(random.nextBoolean() ? 60_000 : LATER),
                    0));
        }
        return new AutoSchedule(seed, any.nodes(), any.starts(), any.old(), false, faults);
    }

    /** One in which some machines do not reach the store. */
    static AutoSchedule parted(long seed) {
        AutoSchedule any = of(seed);
        Random random = new Random(seed * 5897 + 19);
        List<AutoFault.Kind> kinds = AutoFault.PARTINGS;
        List<AutoFault> faults = new ArrayList<>(any.faults());
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            faults.add(new AutoFault(
                    kinds.get(random.nextInt(kinds.size())),
                    random.nextInt(any.machines()),
                    random.nextInt(random.nextBoolean() ? 3 * SOON : LATER),
                    1_000L + random.nextInt(random.nextBoolean() ? 120_000 : LATER),
                    random.nextInt(2)));
        }
        if (faults.stream().anyMatch(fault -> fault.kind().tampers())) {
            // machines that live show that there was a log
            faults.removeIf(fault -> fault.kind().silences());
        }
        return new AutoSchedule(seed, any.nodes(), any.starts(), any.old(), false, faults);
    }

    /** One in which clocks are wrong, disks are swapped, and persons change members. */
    static AutoSchedule muddled(long seed) {
        AutoSchedule any = of(seed);
        Random random = new Random(seed * 6047 + 1);
        List<AutoFault.Kind> kinds = AutoFault.MUDDLES;
        List<AutoFault> faults = new ArrayList<>(any.faults());
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            faults.add(new AutoFault(
                    kinds.get(random.nextInt(kinds.size())),
                    random.nextInt(any.machines()),
                    random.nextInt(random.nextBoolean() ? 3 * SOON : LATER),
                    1_000L + random.nextInt(random.nextBoolean() ? 120_000 : LATER),
                    random.nextInt(4)));
        }
        if (faults.stream().anyMatch(fault -> fault.kind() == AutoFault.Kind.RETIRED)) {
            // no start of etcd is checked from then on
            faults.removeIf(fault -> fault.kind().tampers() || fault.kind().needsStartCheck());
        }
        return new AutoSchedule(seed, any.nodes(), any.starts(), any.old(), false, faults);
    }

    /** One in which machines get another address or name, and members are not what they seem. */
    static AutoSchedule moved(long seed) {
        Random random = new Random(seed * 6389 + 23);
        int machines = 3 + random.nextInt(3);
        int nodes = voters(random, machines);
        List<Long> starts = early(random, machines);
        List<AutoFault> faults = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            faults.add(new AutoFault(
                    AutoFault.MOVES.get(random.nextInt(AutoFault.MOVES.size())),
                    random.nextInt(machines),
                    random.nextInt(random.nextInt(3) == 0 ? SOON : LATER),
                    1_000L + random.nextInt(random.nextBoolean() ? 120_000 : 3 * LATER),
                    0));
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            AutoFault fault =
                    AutoFault.any(random, machines, 0, random.nextBoolean() ? 2 * SOON : LATER);
            if (!fault.kind().tampers()) {
                faults.add(fault);
            }
        }
        return new AutoSchedule(seed, nodes, starts, false, false, faults);
    }

    /** When machines start one soon after the other. */
    private static List<Long> early(Random random, int machines) {
        List<Long> starts = new ArrayList<>();
        for (int i = 0; i < machines; i++) {
            starts.add((long) random.nextInt(SOON / 2));
        }
        return starts;
    }

    private static int voters(Random random, int machines) {
        return machines == 5 && random.nextBoolean() ? 5 : 3;
    }

    /** One in which more voters are lost than may be. */
    static AutoSchedule restoring(long seed) {
        AutoSchedule lost = quorumLost(seed);
        Random random = new Random(seed * 5233 + 29);
        if (random.nextInt(6) > 0) {
            return lost;
        }
        // machines that were given up come back after the end of the automatic mode, too
        List<AutoFault> faults = new ArrayList<>(lost.faults());
        faults.removeIf(fault -> fault.kind().needsStartCheck());
        faults.add(new AutoFault(
                AutoFault.Kind.RETIRED,
                0,
                faults.getFirst().at() + 400_000 + random.nextInt(2 * LATER),
                1_000,
                0));
        return new AutoSchedule(seed, lost.nodes(), lost.starts(), false, false, faults);
    }

    private static AutoSchedule quorumLost(long seed) {
        Random random = new Random(seed * 6841 + 7);
        int machines = 3 + random.nextInt(3);
        int nodes = voters(random, machines);
        List<Long> starts = early(random, machines);
        long lost = 150_000L + random.nextInt(120_000);
        List<AutoFault> faults = new ArrayList<>();
        faults.add(new AutoFault(
                AutoFault.Kind.QUORUM_LOST, 0, lost, 60_000L + random.nextInt(2_000_000), 0));
        for (int i = random.nextInt(5); i > 0; i--) {
            AutoFault fault = AutoFault.any(random, machines, lost, lost + 900_000);
            boolean fits = switch (fault.kind()) {
                // a person gives up the machines that do not report, and no others
                case GONE, DISK_LOST, PUT_BACK, DATA_PUT_BACK, REMOVED_BY_HAND -> false;
                default -> !fault.kind().tampers();
            };
            if (fits) {
                faults.add(fault);
            }
        }
        if (random.nextInt(4) == 0) {
            // a person names another survivor where its machine stays so
            faults.add(broken(random, machines, lost, 0));
        }
        return new AutoSchedule(seed, nodes, starts, false, false, faults);
    }

    /** One in which a person takes back that a quorum was lost. */
    static AutoSchedule regretting(long seed) {
        AutoSchedule restoring = quorumLost(seed);
        Random random = new Random(seed * 5683 + 15);
        List<AutoFault> faults = new ArrayList<>(restoring.faults());
        long lost = faults.getFirst().at();
        for (int i = 1 + random.nextInt(2); i > 0; i--) {
            faults.add(new AutoFault(
                    AutoFault.Kind.RESTORE_TAKEN_BACK,
                    0,
                    lost + random.nextInt(random.nextBoolean() ? 400_000 : LATER),
                    1_000L + random.nextInt(LATER),
                    0));
        }
        return new AutoSchedule(seed, restoring.nodes(), restoring.starts(), false, false, faults);
    }

    /** One in which a holder of the token writes what an operator alone may say. */
    static AutoSchedule forged(long seed) {
        Random random = new Random(seed * 7129 + 21);
        AutoSchedule any = random.nextBoolean() ? restoring(seed) : operated(seed);
        List<AutoFault> faults = new ArrayList<>(any.faults());
        long first =
                faults.isEmpty() || random.nextBoolean() ? 0 : faults.getFirst().at();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            faults.add(new AutoFault(
                    AutoFault.Kind.FORGED,
                    0,
                    first + random.nextInt(random.nextBoolean() ? 3 * SOON : LATER),
                    1_000,
                    0));
        }
        return new AutoSchedule(seed, any.nodes(), any.starts(), any.old(), any.adopted(), faults);
    }

    /** One of an operator, who lets machines adopt a cluster, or wants another number of voters. */
    static AutoSchedule operated(long seed) {
        Random random = new Random(seed * 7433 + 11);
        int machines = 2 + random.nextInt(4);
        boolean adopted = random.nextInt(3) > 0;
        int nodes = 1 + 2 * random.nextInt(adopted ? (machines + 1) / 2 : 3);
        List<Long> starts = new ArrayList<>();
        for (int i = 0; i < machines; i++) {
            starts.add((long) random.nextInt(random.nextInt(6) == 0 ? LATER : SOON / 2));
        }
        List<AutoFault> faults = new ArrayList<>();
        int count = (adopted ? 0 : 1) + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            faults.add(new AutoFault(
                    AutoFault.Kind.RESIZED,
                    0,
                    random.nextInt(random.nextBoolean() ? SOON : LATER),
                    1_000,
                    random.nextInt(5)));
        }
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            AutoFault fault =
                    AutoFault.any(random, machines, 0, random.nextBoolean() ? 2 * SOON : LATER);
            if (!fault.kind().tampers()) {
                faults.add(fault);
            }
        }
        boolean old = random.nextInt(4) == 0;
        if (random.nextInt(3) == 0) {
            long at = random.nextInt(random.nextBoolean() ? SOON / 4 : LATER);
            faults.add(broken(random, machines, at, random.nextInt(2)));
        }
        return new AutoSchedule(seed, nodes, starts, old, adopted, faults);
    }

    /** @param forGood 1, or 0 if it ends */
    private static AutoFault broken(Random random, int machines, long at, int forGood) {
        return new AutoFault(
                AutoFault.Kind.BROKEN,
                random.nextInt(machines),
                at,
                600_000L + random.nextInt(1_800_000),
                forGood);
    }

    int machines() {
        return starts.size();
    }

    /** When the last fault is over, and all machines were started. */
    long calm() {
        long end = Math.max(
                faults.stream().mapToLong(AutoFault::end).max().orElse(0),
                starts.stream().mapToLong(Long::longValue).max().orElse(0));
        return end + 1_000;
    }

    boolean tampers() {
        return faults.stream().anyMatch(fault -> fault.kind().tampers());
    }

    /** Whether what an operator says counts with a signature alone. */
    boolean signs() {
        return faults.stream().anyMatch(fault -> fault.kind() == AutoFault.Kind.FORGED);
    }

    AutoSchedule without(AutoFault fault) {
        List<AutoFault> less = new ArrayList<>(faults);
        less.remove(fault);
        return new AutoSchedule(seed, nodes, starts, old, adopted, less);
    }

    @Override
    public String toString() {
        return "seed %d: %d nodes%s, machines start at %s ms, %s\n%s"
                .formatted(
                        seed,
                        nodes,
                        adopted ? " of a cluster that runs" : "",
                        starts,
                        old ? "an old cluster file" : "a new cluster file",
                        faults.stream()
                                .map(fault -> "  " + fault)
                                .collect(Collectors.joining("\n")));
    }
}
