package io.kjadm.etcd.compare;

import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.NewMember;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** One join with one fault, under a writer's eyes. */
final class FaultTrial {

    private static final Duration BEFORE = Duration.ofSeconds(1);
    private static final Duration AFTER = Duration.ofSeconds(5);
    private static final Duration UNTIL_RUN_AGAIN = Duration.ofSeconds(15);
    private static final Duration TAKING_BACK = Duration.ofSeconds(20);
    private static final int RATE = 100;
    /** Enough for a member to be killed in the middle of it. */
    private static final int VALUES = 256;

    private static final int VALUE_BYTES = 512 << 10;

    private final EtcdBinary binary;
    private final JoinLimits limits;

    /** Stands for a kill -9: nothing that comes after the moment it is thrown is done. */
    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /**
     * @param limit for faults, and for a member that makes no progress; the whole may take half as
     *        long again
     */
    FaultTrial(EtcdBinary binary, Duration limit) {
        this.binary = binary;
        JoinLimits usual = JoinLimits.DEFAULTS;
        this.limits = new JoinLimits(
                limit,
                usual.turn(),
                limit,
                limit.multipliedBy(3).dividedBy(2),
                usual.finalCheck(),
                TAKING_BACK,
                usual.abandoned());
    }

    Outcome run(Fault fault, int voters, Adder adder) throws IOException {
        try (Lab lab = Lab.of(binary, voters)) {
            if (fault == Fault.KILLED_CATCHING_UP) {
                lab.fill("data/", VALUES, VALUE_BYTES);
            }
            var wanted = new NewMember("cp-" + (voters + 1), EtcdProcess.freeUrl());
            JoiningNode node = lab.node(wanted, fault);
            var journal = new NotedJournal(member -> strike(fault, lab, member));
            try (Writer writer = new Writer(lab.endpoints(), RATE)) {
                Pauses.sleep(BEFORE);
                long from = System.nanoTime();
                String end = join(fault, lab, adder, wanted, journal, node);
                Duration toolTime = Duration.ofNanos(System.nanoTime() - from);
                Pauses.sleep(AFTER);
                List<Member> left = lab.leftBehind();
                long to = System.nanoTime();
                writer.end();
                boolean serving = lab.serves(Duration.ofSeconds(3));
                if (!serving) {
                    lab.repair();
                }
                int learnersLeft = (int) left.stream().filter(Member::learner).count();
                return new Outcome(
                        fault,
                        voters,
                        adder,
                        writer.longestGap(from, to),
                        writer.acknowledged(),
                        writer.failed(),
                        lost(lab, writer),
                        learnersLeft,
                        left.size() - learnersLeft,
                        serving,
                        end,
                        toolTime);
            }
        }
    }

    private static int lost(Lab lab, Writer writer) {
        try (Client reader = new Client(lab.endpoints())) {
            return writer.lost(reader);
        }
    }

    /** What happens right after the add. */
    private static void strike(Fault fault, Lab lab, MemberId member) {
        if (fault.voterStops()) {
            lab.stopFollower();
        }
        if (fault == Fault.CUT_OFF) {
            lab.cutOff(member);
        }
        if (fault.toolKilled()) {
            throw new Killed();
        }
    }

    private String join(
            Fault fault,
            Lab lab,
            Adder adder,
            NewMember wanted,
            NotedJournal journal,
            JoiningNode node) {
        try {
            return new Tool(wanted, adder.create(), limits, lab.connect(), journal, node, "first")
                    .run();
        } catch (Killed e) {
            if (fault == Fault.TOOL_KILLED) {
                return "killed";
            }
            Pauses.sleep(UNTIL_RUN_AGAIN);
            return new Tool(wanted, adder.create(), limits, lab.connect(), journal, node, "again")
                    .run();
        }
    }
}
