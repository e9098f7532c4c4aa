package io.kjadm.etcd.compare;

import java.time.Duration;

/**
 * A join of a learner to a cluster with much data, or with many writes.
 *
 * @param databaseBytes size of the leader's database file when the join began
 * @param rate writes per second that were sent
 * @param reached writes per second that were acknowledged while the join went on
 * @param total of the whole join
 */
record LoadedJoin(
        String title,
        int voters,
        long databaseBytes,
        int rate,
        double reached,
        Phases phases,
        Duration total,
        Gap gap,
        int acknowledged,
        int failed,
        int lost) {}
