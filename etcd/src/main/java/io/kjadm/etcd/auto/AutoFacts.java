package io.kjadm.etcd.auto;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.MemberId;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * All that a decision may know.
 *
 * @param self     this machine
 * @param store    what the store answered
 * @param charter  the log up to what this machine has read
 * @param machines the reports of all machines, this one's too
 * @param local    what is on this machine
 * @param etcd     what the members answered
 * @param memory   how long things have been as they are, in this run of the daemon
 */
public record AutoFacts(
        Self self,
        StoreView store,
        Charter charter,
        Map<MachineId, Seen> machines,
        Local local,
        EtcdView etcd,
        Memory memory) {

    public AutoFacts {
        Objects.requireNonNull(self, "self");
        Objects.requireNonNull(store, "store");
        Objects.requireNonNull(charter, "charter");
        machines = Map.copyOf(machines);
        Objects.requireNonNull(local, "local");
        Objects.requireNonNull(etcd, "etcd");
        Objects.requireNonNull(memory, "memory");
    }

    /**
     * This machine as a member.
     *
     * @param member  what its member is or would be
     * @param peerUrl where other members reach it
     * @param backup  its snapshots
     */
    public record Self(MachineId id, Step.Own member, URI peerUrl, URI clientUrl, Backup backup) {}

    /**
     * The snapshots of the cluster that its machines save.
     *
     * @param save     saves one into the store of the log
     * @param identity file with the key that reads them
     */
    public record Backup(Step.Save save, String identity) {}

    /** What the store answered. */
    public sealed interface StoreView {

        /**
         * The log and the reports were read.
         *
         * @param youth what shows that an empty log is a new one
         * @param ahead how far the store's clock is ahead of this machine's; negative if behind; empty
         *              before they were compared
         */
        record Answers(Youth youth, Optional<Duration> ahead) implements StoreView {}

        /** It does not respond. */
        record Silent(String why) implements StoreView {}

        /** It holds less than, or other than, what this machine has read before. */
        record Unsafe(String why) implements StoreView {}

        /** It holds no cluster file. */
        record NotSeeded() implements StoreView {}

        /** Its cluster file is not the one that the token belongs to. */
        record OtherToken() implements StoreView {}
    }

    /**
     * What shows that an empty log was not emptied beside a cluster that lives.
     *
     * @param sinceSeed age of the cluster file by the store's clock
     * @param watched   how long this run has read the machines' reports
     * @param newest    the highest slot that any report knows
     */
    public record Youth(Duration sinceSeed, Duration watched, long newest) {}

    /**
     * A machine as the store shows it.
     *
     * @param age   of its report, by the store's clock
     * @param still how long the report has not changed while this run watched, by this machine's
     *              clock, which does not jump
     */
    public record Seen(MachineReport report, Duration age, Duration still) {

        /** A machine with a member writes a report each minute, another one more often. */
        private static final Duration SILENT = Duration.ofSeconds(150);

        /** Whether its report is of a time so near that it still says how the machine is. */
        public boolean reports() {
            return age.compareTo(SILENT) <= 0;
        }
    }

    /**
     * What is on this machine.
     *
     * @param data      in etcd's data directory
     * @param unit      of etcd
     * @param by        the command that has set up etcd here
     * @param readiness whether it could take a member
     * @param provided  what this machine has written for others
     * @param fenced    what was stopped on this machine of the generation that ends, or was restored;
     *                  empty if nothing was
     * @param stops     what keeps this machine alone from acting
     */
    public record Local(
            Data data,
            UnitState unit,
            SetUp by,
            MachineReport.Readiness readiness,
            Provided provided,
            Optional<EntryBody.Fenced> fenced,
            Stops stops) {

        public Local {
            Objects.requireNonNull(data, "data");
            Objects.requireNonNull(unit, "unit");
            Objects.requireNonNull(by, "by");
            Objects.requireNonNull(readiness, "readiness");
            Objects.requireNonNull(provided, "provided");
            Objects.requireNonNull(fenced, "fenced");
            Objects.requireNonNull(stops, "stops");
        }

        /** Whether etcd is set up as a whole. */
        public boolean setUp() {
            return by == SetUp.INIT || by == SetUp.JOIN;
        }
    }

    /** The command that has set up etcd on a machine, and has finished. */
    public enum SetUp {
        /** None has. */
        NONE,
        /** None has, and the data of a member are there: it was set up on another root disk. */
        DATA,
        /** {@code etcd init}. */
        INIT,
        /** {@code etcd join}. */
        JOIN
    }

    /**
     * What keeps this machine alone from acting.
     *
     * @param busy   who changes this machine at the moment; empty if no other kjadm does
     * @param copy   why another machine may have the same ID; empty if none has
     * @param person why a person has stopped the automatic mode here, without the store
     */
    public record Stops(Optional<String> busy, Optional<Copy> copy, Optional<String> person) {

        public Stops {
            Objects.requireNonNull(busy, "busy");
            Objects.requireNonNull(copy, "copy");
            Objects.requireNonNull(person, "person");
        }

        /** Nothing does. */
        public static Stops none() {
            return new Stops(Optional.empty(), Optional.empty(), Optional.empty());
        }
    }

    /**
     * A machine with the same ID.
     *
     * @param certain whether it reports; else that is not known yet
     */
    public record Copy(boolean certain, String why) {}

    /**
     * What a machine has written for others.
     *
     * @param ca      whether the CA of the generation is in the store
     * @param clients whether what clients need is on this machine, for the voters of the log
     * @param due     which certificate has to be renewed, and why; empty if none has
     */
    public record Provided(boolean ca, boolean clients, Optional<String> due) {

        public Provided {
            Objects.requireNonNull(due, "due");
        }
    }

    /** What is in etcd's data directory. */
    public sealed interface Data {

        /** Nothing, and nothing of an earlier command either. */
        record Blank() implements Data {}

        /**
         * A member, or what an unfinished {@code init} or {@code join} has made.
         *
         * @param generation for which this machine began it; 0 if it was none of the log's
         * @param member     as its write-ahead log says; empty before etcd has started
         */
        record Held(int generation, Optional<MemberId> member) implements Data {}

        /** What cannot be read. */
        record Unreadable(String why) implements Data {}

        /** The disk is the expected one, and this machine's member is not on it as it was left. */
        record Lost(String why) implements Data {}

        /**
         * Another disk than the expected one, or one that takes no writes. It does not show that the
         * data are lost.
         *
         * @param next what a person can do
         */
        record OtherDisk(String why, String next) implements Data {}
    }

    /** What the members answered. */
    public sealed interface EtcdView {

        /**
         * Members answered.
         *
         * @param cluster ID that they report, hexadecimal
         */
        record Answers(EtcdHealth health, String cluster) implements EtcdView {}

        /** None did; or there is none to ask. */
        record Silent(String why) implements EtcdView {}
    }

    /**
     * How long things have been as they are.
     *
     * @param held   by rule, how long its conditions have held without a break
     * @param failed the last step, if it failed and none has succeeded since; clearing the machine
     *               after it is no success
     * @param paused how long this run has seen the pause that is open
     * @param now    by this machine's clock, which may be wrong
     */
    public record Memory(
            Map<Rule, Duration> held,
            Optional<Failed> failed,
            Duration paused,
            Optional<Duration> saved,
            Instant now) {

        public Memory {
            held = Map.copyOf(held);
            Objects.requireNonNull(failed, "failed");
            Objects.requireNonNull(paused, "paused");
            Objects.requireNonNull(saved, "saved");
            Objects.requireNonNull(now, "now");
        }

        Duration held(Rule rule) {
            return held.getOrDefault(rule, Duration.ZERO);
        }

        /** A command that failed, and is not tried again yet. */
        Optional<Failed> waits(Class<? extends Step> command) {
            return failed.filter(
                    last -> command.isInstance(last.step()) && last.tryAgain().isPositive());
        }
    }

    /**
     * A step that failed.
     *
     * @param times    how often its command failed in a row
     * @param tryAgain after that time
     */
    public record Failed(Step step, String why, int times, Duration tryAgain) {

        String text() {
            return "'%s' failed%s: %s"
                    .formatted(step.command(), times == 1 ? "" : " %d times".formatted(times), why);
        }
    }
}
