package io.kjadm.core.simulation;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;

/**
 * One thing that goes wrong while machines form a cluster by themselves.
 *
 * @param machine whom it befalls; of no meaning for the store
 * @param at      milliseconds from the beginning
 * @param millis  how long it lasts
 * @param places  how many places later it befalls a program, if it befalls one
 */
record AutoFault(Kind kind, int machine, long at, long millis, int places) {

    enum Kind {
        /** The store answers nobody. */
        STORE_DOWN,
        /** Every second put gets no answer: it was carried out, is later, or never. */
        STORE_LOSSY,
        /** Most puts are answered with a conflict, and nothing was written. */
        STORE_BUSY,
        /** Every answer of the store takes seconds. */
        STORE_SLOW,
        /** An object of the log is deleted. */
        SLOT_DELETED,
        /** The newest objects of the log are deleted. */
        TAIL_DELETED,
        /** All objects of the log are deleted. */
        LOG_DELETED,
        /** All objects but the cluster file are deleted. */
        ALL_DELETED,
        /** The log, the reports and all else but the cluster file are as they were before. */
        ROLLED_BACK,
        /** Somebody without the token writes to the next slot. */
        JUNK,
        /** kill -9 of the daemon. */
        KILL,
        /** SIGSTOP of the daemon, and SIGCONT. */
        HALT,
        /** The machine is off. */
        OFF,
        /** The founder is off some time after it has become that. */
        FOUNDER_OFF,
        /** The founder is off some time after clients were let in. */
        READY_OFF,
        /** The machine never comes back. */
        GONE,
        /** The machine boots, and its disk is mounted later. */
        DISK_LATE,
        /** The data of the machine's member are lost. */
        DISK_LOST,
        /** A person removes the machine's voter with another tool. */
        REMOVED_BY_HAND,
        /** Nobody reaches etcd of the machine. */
        ISOLATED,
        /** etcd of the machine has ended with an error. */
        ETCD_FAILED,
        /** Another member leads. */
        ELECTION,
        /** The next change of members that the machine asks for is not carried out. */
        REQUEST_LOST,
        /** The next change of members that the machine asks for gets no answer. */
        REPLY_LOST,
        /** The same, and it is carried out later. */
        APPLIED_LATE,
        /** The daemon stands still between its look at the log and the next change of members. */
        CHANGE_LATE,
        /** A person pauses the automatic mode, and resumes it. */
        PAUSED,
        /** A person pauses it for a time. */
        PAUSED_FOR,
        /** The machine is put back to what it was some minutes ago, as a whole. */
        PUT_BACK,
        /** Its data directory is. */
        DATA_PUT_BACK,
        /** A copy of the machine runs beside it, at another address. */
        COPIED,
        /** More voters are lost than may be, and a person gives the quorum up. */
        QUORUM_LOST,
        /** An operator wants another number of voters. */
        RESIZED,
        /** The machine reports that it is ready, and whatever sets up etcd there fails. */
        BROKEN,
        /** A person repairs the log from the copy of the machine, and starts all daemons again. */
        LOG_REPAIRED,
        /** The machine is installed again, and keeps its data disk; a person has it take its place. */
        INSTALLED_AGAIN,
        /** The root disk of the machine is full. */
        DISK_FULL,
        /** The person who has given a quorum up takes that back. */
        RESTORE_TAKEN_BACK,
        /** The machine does not reach the store. */
        STORE_UNREACHED,
        /** Every second machine does not. */
        STORE_PARTED,
        /** The machine reaches neither the store nor another machine. */
        UNPLUGGED,
        /** The machine's clock is wrong by an hour; its daemon starts again at both ends. */
        CLOCK_WRONG,
        /** The store's clock is wrong by an hour. */
        STORE_CLOCK_WRONG,
        /** The store takes no writes. */
        STORE_READ_ONLY,
        /** The machine and the next one have each other's data disk. */
        DISKS_SWAPPED,
        /** An earlier report of the machine is written over its report. */
        REPORT_REPLAYED,
        /** A person adds a learner that never starts, and removes it. */
        ADDED_BY_HAND,
        /** A person promotes any learner. */
        PROMOTED_BY_HAND,
        /** An operator ends the automatic mode. */
        RETIRED,
        /** The machine boots with another address. */
        MOVED,
        /** The machine gets another name. */
        RENAMED,
        /** A person has the others look for the machine's voter at an address where it is not. */
        UPDATED_BY_HAND,
        /** etcd of the machine stores nothing new. */
        LAGGING,
        /** etcd of the machine ends as soon as it is started. */
        ETCD_ENDS,
        /** A member has no space left. */
        NO_SPACE,
        /** Who has the token alone writes what an operator's key must sign. */
        FORGED;

        /** Whether the store is not what it was. */
        boolean tampers() {
            return compareTo(SLOT_DELETED) >= 0 && compareTo(ROLLED_BACK) <= 0;
        }

        /** Whether etcd would start with other data than the machine's, if nobody asked. */
        boolean needsStartCheck() {
            return switch (this) {
                case PUT_BACK, DATA_PUT_BACK, DISK_LATE, DISKS_SWAPPED, COPIED, LOG_REPAIRED ->
                    true;
                default -> false;
            };
        }

        /** Whether a machine may not show for some time what it has read. */
        boolean silences() {
            return switch (this) {
                case STORE_DOWN,
                        STORE_UNREACHED,
                        STORE_PARTED,
                        UNPLUGGED,
                        STORE_SLOW,
                        KILL,
                        HALT,
                        CHANGE_LATE,
                        OFF,
                        PUT_BACK,
                        DATA_PUT_BACK,
                        DISK_LATE,
                        GONE,
                        MOVED,
                        FOUNDER_OFF,
                        READY_OFF -> true;
                default -> false;
            };
        }
    }

    /** Those that befall any schedule. */
    private static final List<Kind> KINDS = Arrays.stream(Kind.values())
            .filter(kind -> kind.compareTo(Kind.QUORUM_LOST) < 0)
            .toList();

    /** Those of {@link AutoSchedule#parted}. */
    static final List<Kind> PARTINGS = between(Kind.STORE_UNREACHED, Kind.UNPLUGGED);

    /** Those of {@link AutoSchedule#muddled}. */
    static final List<Kind> MUDDLES = between(Kind.CLOCK_WRONG, Kind.RETIRED);

    /** Those of {@link AutoSchedule#moved}. */
    static final List<Kind> MOVES = between(Kind.MOVED, Kind.NO_SPACE);

    private static List<Kind> between(Kind first, Kind last) {
        return List.copyOf(EnumSet.range(first, last));
    }

    long end() {
        return at + millis;
    }

    static AutoFault any(Random random, int machines, long from, long to) {
        Kind kind = KINDS.get(random.nextInt(KINDS.size()));
        // a store that somebody tampers with ends most schedules
        if (kind.tampers() && random.nextInt(2) > 0) {
            kind = Kind.KILL;
        }
        long longest =
                random.nextInt(12) == 0 ? 3_600_000 : random.nextInt(3) == 0 ? 1_200_000 : 120_000;
        if (kind == Kind.HALT || kind == Kind.CHANGE_LATE) {
            longest = Math.min(longest, 600_000);
        }
        return new AutoFault(
                kind,
                random.nextInt(machines),
                from + (long) (random.nextDouble() * (to - from)),
                1_000 + (long) (random.nextDouble() * longest),
                random.nextInt(random.nextBoolean() ? 20 : 150));
    }

    @Override
    public String toString() {
        return "%s of machine %d at %d ms for %d ms, %d places later"
                .formatted(kind, machine, at, millis, places);
    }
}
