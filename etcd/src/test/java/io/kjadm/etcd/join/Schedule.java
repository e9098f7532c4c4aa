package io.kjadm.etcd.join;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.join.Mishap.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * A whole play: who is there, who joins and leaves, and what goes wrong. Machines are numbered,
 * voters first, then joiners.
 *
 * @param leavers numbers of voters that are reset
 * @param brokenJoiner a joiner whose etcd never starts; -1 for none
 * @param ghost whether somebody's learner that never starts is there from the beginning
 */
record Schedule(long seed, String version, int maxLearners, int voters, int joiners,
        List<Integer> leavers, int brokenJoiner, boolean ghost, List<Mishap> mishaps) {

    private static final List<String> VERSIONS = List.of("3.4.23", "3.5.16", "3.5.30", "3.6.8",
            "3.6.13");
    /** Nothing new goes wrong after this time. */
    static final long CALM = 160_000;

    Schedule {
        leavers = List.copyOf(leavers);
        mishaps = List.copyOf(mishaps);
    }

    static Schedule of(long seed) {
        // neighbouring seeds of java.util.Random begin alike
        var random = new Random(seed * 0x9E3779B97F4A7C15L ^ 0x5DEECE66DL);
        int voters = 1 + random.nextInt(5);
        int joiners = 1 + random.nextInt(random.nextInt(3) == 0 ? 4 : 2);
        List<Integer> leavers = new ArrayList<>();
        if (voters > 1 && random.nextInt(3) == 0) {
            leavers.add(random.nextInt(voters));
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
                boolean survivable = leavers.isEmpty()
                        && voters >= (mishap.machine() >= voters ? 2 : 3);
                if (lost || !survivable) {
                    continue;
                }
                lost = true;
            }
            mishaps.add(mishap);
        }
        return new Schedule(seed, version, limit, voters, joiners, leavers,
                random.nextInt(12) == 0
                        ? voters + random.nextInt(joiners) : -1, random.nextInt(40) == 0, mishaps);
    }

    private static Mishap mishap(Random random, int voters, int joiners, List<Integer> leavers) {
        Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
        int joiner = voters + random.nextInt(joiners);
        int actor = !leavers.isEmpty() && random.nextInt(4) == 0 ? leavers.getFirst() : joiner;
        long when = random.nextInt((int) CALM / 2);
        return switch (kind) {
            case CRASH ->
                    new Mishap(kind, actor, random.nextInt(150), 1_000 + random.nextInt(60_000));
            case INTERRUPT -> new Mishap(kind, joiner, random.nextInt(150), 0);
            case REPLY_LOST, REQUEST_LOST ->
                    new Mishap(kind, actor, change(random), random.nextInt(2) * 10_000);
            case APPLIED_LATE, APPLIED_BY_NEXT_LEADER ->
                    new Mishap(kind, actor, change(random), 1 + random.nextInt(7_000));
            case STOP, ISOLATE, LAG -> new Mishap(kind, random.nextInt(voters + joiners), when,
                    1_000 + random.nextInt((int) CALM / 2));
            case NO_KUBELET ->
                    new Mishap(kind, joiner, when, 1_000 + random.nextInt((int) CALM / 2));
            case LOSE_DISK -> new Mishap(kind, random.nextInt(voters + joiners), when, 0);
            case ELECTION -> new Mishap(kind, 0, when, 0);
        };
    }

    /** Most programs send only a few changes. */
    private static int change(Random random) {
        return random.nextInt(random.nextInt(3) == 0 ? 20 : 3);
    }

    /** Whether joins may go on while a voter is down. */
    boolean degraded() {
        return Math.floorMod(seed, 4) == 3;
    }

    boolean loses(int machine) {
        return mishaps.stream()
                .anyMatch(mishap -> mishap.kind() == Kind.LOSE_DISK && mishap.machine() == machine);
    }

    Schedule with(List<Mishap> fewer) {
        return new Schedule(seed, version, maxLearners, voters, joiners, leavers, brokenJoiner,
                ghost, fewer);
    }

    Schedule withoutLeavers() {
        return new Schedule(seed, version, maxLearners, voters, joiners, List.of(), brokenJoiner,
                ghost, mishaps);
    }

    Schedule withoutBrokenJoiner() {
        return new Schedule(seed, version, maxLearners, voters, joiners, leavers, -1, ghost,
                mishaps);
    }

    Schedule withoutGhost() {
        return new Schedule(seed, version, maxLearners, voters, joiners, leavers, brokenJoiner,
                false, mishaps);
    }

    /** With the last joiner gone and what befell it. */
    Schedule withFewerJoiners() {
        int last = voters + joiners - 1;
        return new Schedule(seed, version, maxLearners, voters, joiners - 1, leavers,
                brokenJoiner == last ? -1 : brokenJoiner, ghost,
                mishaps.stream().filter(mishap -> mishap.machine() != last).toList());
    }

    @Override
    public String toString() {
        return "seed %d: etcd %s, %d voters, %d joiners from machine %d on%s%s%s%s%s"
                .formatted(seed, version, voters,
                joiners, voters, maxLearners > 1 ? ", up to " + maxLearners + " learners" : "",
                leavers.isEmpty() ? "" : ", reset of " + leavers,
                brokenJoiner < 0
                        ? "" : ", etcd of " + brokenJoiner + " never starts",
                        (ghost ? ", a ghost learner" : "")
                        + (degraded() ? ", --allow-degraded" : ""),
                mishaps.stream().map(mishap -> "\n    " + mishap).collect(Collectors.joining()));
    }
}
