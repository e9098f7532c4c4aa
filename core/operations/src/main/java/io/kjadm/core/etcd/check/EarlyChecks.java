package io.kjadm.core.etcd.check;

import io.kjadm.core.check.Check;
import io.kjadm.core.error.Causes;
import io.kjadm.etcd.check.ClockRules;
import io.kjadm.etcd.check.DiskRules;
import io.kjadm.etcd.check.EtcdFinding;
import io.kjadm.etcd.check.EtcdRule;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * What a joining control-plane node can check for its etcd before it has certificates; begun at
 * once, told later.
 */
public final class EarlyChecks {

    private EarlyChecks() {}

    /**
     * Begins to measure the disk and to compare clocks with the API server.
     *
     * @param caPem whom the server's certificate must lead to
     */
    public static List<Check> begin(JoinProbes probes, Path dataDir, URI server, String caPem) {
        return List.of(
                begun(EtcdRule.DISK, () -> disk(probes.disk(), dataDir)),
                begun(EtcdRule.CLOCK, () -> clock(probes.serverClock(), server, caPem)));
    }

    /** Measures the disk alone, for a member that nobody else is there for yet. */
    public static Check disk(JoinProbes probes, Path dataDir) {
        return begun(EtcdRule.DISK, () -> disk(probes.disk(), dataDir));
    }

    /** A check whose answer is on its way. */
    private static Check begun(EtcdRule rule, Supplier<List<EtcdFinding>> question) {
        CompletableFuture<List<EtcdFinding>> answer =
                CompletableFuture.supplyAsync(question, SocketThreads::start);
        return Check.of(
                rule.checkName(),
                () -> answer.join().stream().map(EtcdFindings::finding).toList());
    }

    private static List<EtcdFinding> disk(DiskProbe disk, Path dataDir) {
        List<EtcdFinding> findings = new ArrayList<>();
        try {
            DiskRules.space(dataDir, disk.freeBytes(dataDir), 0).ifPresent(findings::add);
            disk.syncTime(dataDir)
                    .flatMap(time -> DiskRules.speed(dataDir, time))
                    .ifPresent(findings::add);
        } catch (IOException e) {
            findings.add(
                    EtcdFinding.unknown(EtcdRule.DISK, "the disk of " + dataDir, Causes.words(e)));
        }
        return findings;
    }

    private static List<EtcdFinding> clock(ServerClock clock, URI server, String caPem) {
        try {
            return ClockRules.finding("the API server at " + server, clock.ahead(server, caPem))
                    .stream()
                    .toList();
        } catch (IOException e) {
            return List.of(EtcdFinding.unknown(
                    EtcdRule.CLOCK, "the clock of the API server at " + server, Causes.words(e)));
        }
    }
}
