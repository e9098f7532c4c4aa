package io.kjadm.core.simulation;

import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.simulation.Mishap.Kind;
import io.kjadm.core.simulation.Oracle.Resets;
import io.kjadm.etcd.EtcdVersion;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * A whole play: who is there, who joins and leaves, and what goes wrong. Machines are numbered,
 * voters first, then joiners, then an old machine if there is one.
 *
 * @param leavers voters that are reset
 * @param upgraders voters that get another version
 * @param oddities what is unusual from the beginning
 */
record Schedule(
        long seed,
        String version,
        int maxLearners,
        int voters,
        int joiners,
        List<Leaver> leavers,
        List<Upgrader> upgraders,
        Oddities oddities,
        List<Mishap> mishaps) {

    private static final List<String> VERSIONS =
            List.of("3.4.23", "3.5.16", "3.5.30", "3.6.8", "3.6.13");
    /** Versions that follow each other, some of them against etcd's rules. */
    private static final List<List<String>> STEPS = List.of(
            List.of("3.6.8", "3.6.14"),
            List.of("3.5.32", "3.6.14"),
            List.of("3.5.32", "3.6.14"),
            List.of("3.5.30", "3.5.32"),
            List.of("3.5.16", "3.6.8"),
            List.of("3.4.23", "3.6.14"));
    /** Nothing new goes wrong after this time. */
    static final long CALM = 160_000;

    /** A machine that is reset. */
    record Leaver(int machine, Resets how) {}

    /**
     * A machine that is upgraded.
     *
     * @param to   the version of etcd that it is to get
     * @param ends of which component the new version ends at once
     */
    record Upgrader(int machine, String to, Optional<String> ends) {}

    /**
     * What is unusual.
     *
     * @param brokenJoiner a joiner whose etcd never starts; -1 for none
     * @param twin a joiner with the name of voter 0; -1 for none
     * @param oldBox how an old machine is reset whose address voter 0 has by now
     * @param ghost whether somebody's learner that never starts is there from the beginning
     * @param nosy whether somebody promotes each learner right when its removal is decided
     * @param impatient whether SIGINT comes in the first roll-back of each machine
     * @param api what the API server answers everybody; it serves if there is nothing
     */
    record Oddities(
            int brokenJoiner,
            int twin,
            Optional<Resets> oldBox,
            boolean ghost,
            boolean nosy,
            boolean impatient,
            Optional<KubeApiException.Kind> api) {

        static final Oddities NONE =
                new Oddities(-1, -1, Optional.empty(), false, false, false, Optional.empty());
    }

    Schedule {
        leavers = List.copyOf(leavers);
        upgraders = List.copyOf(upgraders);
        mishaps = List.copyOf(mishaps);
    }

    static Schedule of(long seed) {
        // neighbouring seeds of java.util.Random begin alike
        var random = new Random(seed * 0x9E3779B97F4A7C15L ^ 0x5DEECE66DL);
        int voters = 1 + random.nextInt(5);
        int joiners = 1 + random.nextInt(random.nextInt(3) == 0 ? 4 : 2);
        List<Leaver> leavers = new ArrayList<>();
        if (random.nextInt(3) == 0) {
            int first = random.nextInt(voters);
            leavers.add(new Leaver(first, resets(random)));
            int second = random.nextInt(voters);
            if (second != first && random.nextInt(4) == 0) {
                leavers.add(new Leaver(second, resets(random)));
            }
        }
        String version = VERSIONS.get(random.nextInt(VERSIONS.size()));
        int limit = EtcdVersion.parse(version).atLeast(3, 6) && random.nextInt(4) == 0 ? 3 : 1;
        List<Mishap> mishaps = new ArrayList<>();
        int count = random.nextInt(9);
        boolean lost = false;
        for (int i = 0; i < count; i++) {
            Mishap mishap = mishap(random, voters, joiners, leavers);
            if (mishap.kind() == Kind.LOSE_DISK) {
                // of two voters neither may lose its disk, and a joiner is soon one of them
                boolean survivable =
                        leavers.isEmpty() && voters >= (mishap.machine() >= voters ? 2 : 3);
                if (lost || !survivable) {
                    continue;
                }
                lost = true;
            }
            mishaps.add(mishap);
        }
        return new Schedule(
                seed,
                version,
                limit,
                voters,
                joiners,
                leavers,
                List.of(),
                oddities(random, voters, joiners),
                mishaps);
    }

    /** Voters are upgraded, one after the other if all goes well, and others may join or leave. */
    static Schedule withUpgrades(long seed) {
        var random = new Random(seed * 0xD1B54A32D192ED03L ^ 0x5DEECE66DL);
        int voters = 1 + random.nextInt(5);
        int joiners = random.nextInt(4) == 0 ? 1 : 0;
        List<String> step = STEPS.get(random.nextInt(STEPS.size()));
        List<Upgrader> upgraders = new ArrayList<>();
        int leaver = voters > 1 && random.nextInt(8) == 0 ? random.nextInt(voters) : -1;
        for (int i = 0; i < voters; i++) {
            if (i == leaver) {
                continue;
            }
            Optional<String> ends = switch (random.nextInt(10)) {
                case 0 -> Optional.of("etcd");
                case 1 -> Optional.of("kube-apiserver");
                default -> Optional.empty();
            };
            upgraders.add(new Upgrader(i, step.getLast(), ends));
        }
        List<Leaver> leavers =
                leaver < 0 ? List.of() : List.of(new Leaver(leaver, new Resets(false, false)));
        List<Mishap> mishaps = new ArrayList<>();
        int count = random.nextInt(6);
        for (int i = 0; i < count; i++) {
            mishaps.add(mishapOfUpgrade(random, voters, voters + joiners));
        }
        return new Schedule(
                seed,
                step.getFirst(),
                1,
                voters,
                joiners,
                leavers,
                upgraders,
                Oddities.NONE,
                mishaps);
    }

    private static Mishap mishapOfUpgrade(Random random, int voters, int machines) {
        long when = random.nextInt((int) CALM / 2);
        return switch (random.nextInt(7)) {
            case 0, 1 ->
                new Mishap(
                        Kind.CRASH,
                        random.nextInt(voters),
                        random.nextInt(150),
                        1_000 + random.nextInt(60_000));
            case 2 -> new Mishap(Kind.INTERRUPT, random.nextInt(voters), random.nextInt(150), 0);
            case 3 -> new Mishap(Kind.ELECTION, 0, when, 0);
            case 4 -> new Mishap(Kind.SLOW, 0, when, 1_000 + random.nextInt(40_000));
            case 5 ->
                new Mishap(
                        Kind.ISOLATE,
                        random.nextInt(machines),
                        when,
                        1_000 + random.nextInt((int) CALM / 2));
            default ->
                new Mishap(
                        random.nextBoolean() ? Kind.STOP : Kind.LAG,
                        random.nextInt(machines),
                        when,
                        1_000 + random.nextInt((int) CALM / 2));
        };
    }

    private static Resets resets(Random random) {
        return new Resets(random.nextInt(2) == 0, random.nextInt(6) == 0);
    }

    private static Oddities oddities(Random random, int voters, int joiners) {
        int broken = random.nextInt(12) == 0 ? voters + random.nextInt(joiners) : -1;
        int twin = random.nextInt(40) == 0 ? voters + random.nextInt(joiners) : -1;
        Optional<Resets> oldBox =
                random.nextInt(20) == 0 ? Optional.of(resets(random)) : Optional.empty();
        boolean ghost = random.nextInt(40) == 0;
        Optional<KubeApiException.Kind> api = switch (random.nextInt(8)) {
            case 0, 1 -> Optional.of(KubeApiException.Kind.UNREACHABLE);
            case 2 -> Optional.of(KubeApiException.Kind.FORBIDDEN);
            default -> Optional.empty();
        };
        return new Oddities(
                broken, twin, oldBox, ghost, random.nextInt(20) == 0, random.nextInt(10) == 0, api);
    }

    private static Mishap mishap(Random random, int voters, int joiners, List<Leaver> leavers) {
        Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
        int joiner = voters + random.nextInt(joiners);
        int actor = !leavers.isEmpty() && random.nextInt(3) == 0
                ? leavers.getFirst().machine()
                : joiner;
        int any = random.nextInt(voters + joiners);
        long when = random.nextInt((int) CALM / 2);
        long place = random.nextInt(150);
        return switch (kind) {
            case CRASH -> new Mishap(kind, actor, place, 1_000 + random.nextInt(60_000));
            case RESET_INSTEAD -> new Mishap(kind, joiner, place, 1_000 + random.nextInt(60_000));
            case INTERRUPT -> new Mishap(kind, actor, place, 0);
            case FOREIGN_PROMOTE, FOREIGN_REMOVE -> new Mishap(kind, joiner, place, 0);
            case REPLY_LOST, REQUEST_LOST ->
                new Mishap(kind, actor, change(random), random.nextInt(2) * 10_000L);
            case APPLIED_LATE, APPLIED_BY_NEXT_LEADER ->
                new Mishap(kind, actor, change(random), 1 + random.nextInt(7_000));
            case STOP, ISOLATE, LAG ->
                new Mishap(kind, any, when, 1_000 + random.nextInt((int) CALM / 2));
            case NO_KUBELET ->
                new Mishap(kind, joiner, when, 1_000 + random.nextInt((int) CALM / 2));
            case SLOW -> new Mishap(kind, 0, when, 1_000 + random.nextInt(40_000));
            case LOSE_DISK, FOREIGN_REMOVE_VOTER -> new Mishap(kind, any, when, 0);
            case FOREIGN_ADD, ELECTION -> new Mishap(kind, 0, when, 0);
        };
    }

    /** Most programs send only a few changes. */
    private static int change(Random random) {
        return random.nextInt(random.nextInt(3) == 0 ? 20 : 3);
    }

    /** Whether etcd's rules allow the upgrades. */
    boolean stepIsAllowed() {
        return !version.equals("3.5.16") && !version.equals("3.4.23");
    }

    /** Whether joins may go on while a voter is down. */
    boolean degraded() {
        return Math.floorMod(seed, 4) == 3;
    }

    boolean loses(int machine) {
        return mishaps.stream()
                .anyMatch(mishap -> mishap.kind() == Kind.LOSE_DISK && mishap.machine() == machine);
    }

    boolean has(Kind kind) {
        return mishaps.stream().anyMatch(mishap -> mishap.kind() == kind);
    }

    /** Whether somebody else changes members, too. */
    boolean foreign() {
        return oddities.nosy()
                || mishaps.stream().anyMatch(mishap -> mishap.kind().foreign());
    }

    Schedule with(List<Mishap> fewer) {
        return new Schedule(
                seed, version, maxLearners, voters, joiners, leavers, upgraders, oddities, fewer);
    }

    Schedule with(Oddities fewer) {
        return new Schedule(
                seed, version, maxLearners, voters, joiners, leavers, upgraders, fewer, mishaps);
    }

    Schedule withFewerLeavers() {
        return new Schedule(
                seed,
                version,
                maxLearners,
                voters,
                joiners,
                leavers.subList(0, leavers.size() - 1),
                upgraders,
                oddities,
                mishaps);
    }

    Schedule withFewerUpgraders() {
        return new Schedule(
                seed,
                version,
                maxLearners,
                voters,
                joiners,
                leavers,
                upgraders.subList(0, upgraders.size() - 1),
                oddities,
                mishaps);
    }

    /** With the last joiner gone and what befell it. */
    Schedule withFewerJoiners() {
        int last = voters + joiners - 1;
        return new Schedule(
                seed,
                version,
                maxLearners,
                voters,
                joiners - 1,
                leavers,
                upgraders,
                new Oddities(
                        oddities.brokenJoiner() == last ? -1 : oddities.brokenJoiner(),
                        oddities.twin() == last ? -1 : oddities.twin(),
                        oddities.oldBox(),
                        oddities.ghost(),
                        oddities.nosy(),
                        oddities.impatient(),
                        oddities.api()),
                mishaps.stream().filter(mishap -> mishap.machine() != last).toList());
    }

    @Override
    public String toString() {
        return "seed %d: etcd %s, %d voters, %d joiners from machine %d on%s%s%s%s%s"
                .formatted(
                        seed,
                        version,
                        voters,
                        joiners,
                        voters,
                        maxLearners > 1 ? ", up to " + maxLearners + " learners" : "",
                        leavers.stream()
                                        .map(leaver -> ", reset of %d%s"
                                                .formatted(leaver.machine(), words(leaver.how())))
                                        .collect(Collectors.joining())
                                + upgraders.stream()
                                        .map(Schedule::words)
                                        .collect(Collectors.joining()),
                        told(),
                        degraded() ? ", --allow-degraded" : "",
                        mishaps.stream()
                                .map(mishap -> "\n    " + mishap)
                                .collect(Collectors.joining()));
    }

    private String told() {
        return (oddities.brokenJoiner() < 0
                        ? ""
                        : ", etcd of %d never starts".formatted(oddities.brokenJoiner()))
                + (oddities.twin() < 0 ? "" : ", %d has the name of 0".formatted(oddities.twin()))
                + oddities.oldBox()
                        .map(how -> ", reset of an old machine at the address of 0" + words(how))
                        .orElse("")
                + (oddities.ghost() ? ", a ghost learner" : "")
                + (oddities.nosy() ? ", a nosy operator" : "")
                + (oddities.impatient() ? ", SIGINT in the first roll-backs" : "")
                + oddities.api().map(kind -> ", API server " + kind).orElse("");
    }

    private static String words(Upgrader upgrader) {
        return ", upgrade of %d to %s%s"
                .formatted(
                        upgrader.machine(),
                        upgrader.to(),
                        upgrader.ends().map(" whose %s ends at once"::formatted).orElse(""));
    }

    private static String words(Resets how) {
        return (how.force() ? " --force" : "")
                + (how.forceLastMember() ? " --force-last-member" : "");
    }
}
