package io.kjadm.etcd.compare;

import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.NewMember;

import java.io.IOException;
import java.time.Duration;

/** A join of a learner to a cluster with much data, or with many writes. */
final class LoadTrial {

    private static final Duration BEFORE = Duration.ofSeconds(5);
    private static final Duration AFTER = Duration.ofSeconds(5);
    private static final int VALUE_BYTES = 512 << 10;
    /** etcd keeps the last 5000 entries of its log for members that come late. */
    private static final int SMALL_VALUES = 8000;

    private final EtcdBinary binary;

    LoadTrial(EtcdBinary binary) {
        this.binary = binary;
    }

    LoadedJoin bigDatabase(int voters) throws IOException {
        try (Lab lab = Lab.of(
                binary, voters, "--quota-backend-bytes=" + (4L << 30), "--snapshot-count=1000")) {
            lab.fill("data/", (1 << 30) / VALUE_BYTES, VALUE_BYTES);
            lab.fill("small/", SMALL_VALUES, 16);
            return join("1 GiB of data", lab, voters, 100);
        }
    }

    LoadedJoin manyWrites(int voters) throws IOException {
        try (Lab lab = Lab.of(binary, voters)) {
            return join("500 writes/s", lab, voters, 500);
        }
    }

    private LoadedJoin join(String title, Lab lab, int voters, int rate) {
        long bytes = EtcdHealth.ask(lab.cluster()).leaderStatus().orElseThrow().dbSizeBytes();
        var wanted = new NewMember("cp-" + (voters + 1), EtcdProcess.freeUrl());
        JoiningNode node = lab.node(wanted, Fault.NONE);
        var journal = new NotedJournal(member -> {});
        try (Writer writer = new Writer(lab.endpoints(), rate)) {
            Pauses.sleep(BEFORE);
            long from = System.nanoTime();
            String end = new Tool(
                            wanted,
                            Adder.LEARNER.create(),
                            JoinLimits.DEFAULTS,
                            lab.connect(),
                            journal,
                            node,
                            "run")
                    .run();
            long joined = System.nanoTime();
            if (!end.equals("joined")) {
                throw new IllegalStateException("the join came to: " + end);
            }
            Pauses.sleep(AFTER);
            long to = System.nanoTime();
            writer.end();
            double reached = writer.acknowledged(from, joined) / ((joined - from) / 1e9);
            try (Client reader = new Client(lab.endpoints())) {
                return new LoadedJoin(
                        title,
                        voters,
                        bytes,
                        rate,
                        reached,
                        journal.phases(),
                        Duration.ofNanos(joined - from),
                        writer.longestGap(from, to),
                        writer.acknowledged(),
                        writer.failed(),
                        writer.lost(reader));
            }
        }
    }
}
