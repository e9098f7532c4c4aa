package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdQueue.Entry;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The queue in etcd processes on the loopback interface. Skipped where no etcd is at hand. */
class JetcdQueueIT {

    private static final Duration LASTS = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    @RegisterExtension
    final EtcdProcesses etcds = new EtcdProcesses();

    static List<EtcdBinary> learnerVersions() {
        return EtcdBinary.found(version -> version.knowsLearners());
    }

    @ParameterizedTest
    @MethodSource("learnerVersions")
    void whoCameFirstIsFirstUntilItsLeaseEnds(EtcdBinary binary) throws Exception {
        EtcdProcess etcd = EtcdProcess.first(binary, folder, "cp-1");
        etcds.leading(etcd);
        try (EtcdQueue queue = JetcdQueue.open(EtcdAccess.plain(List.of(etcd.clientUrl())))) {
            assertEquals(List.of(), queue.entries());
            long first = queue.grant(LASTS);
            long second = queue.grant(LASTS);
            queue.enter(new Entry(first, "one"));
            queue.enter(new Entry(second, "two"));
            queue.enter(new Entry(first, "one, further on"));

            assertEquals(
                    List.of(new Entry(first, "one, further on"), new Entry(second, "two")),
                    queue.entries());
            assertTrue(queue.renew(first));

            queue.revoke(first);
            queue.revoke(first);
            assertFalse(queue.renew(first));
            assertEquals(List.of(new Entry(second, "two")), queue.entries());
        }
    }

    @ParameterizedTest
    @MethodSource("learnerVersions")
    void aMemberThatIsDownIsPassedOver(EtcdBinary binary) throws Exception {
        EtcdProcess etcd = EtcdProcess.first(binary, folder, "cp-1");
        etcds.leading(etcd);
        try (EtcdQueue queue = JetcdQueue.open(
                EtcdAccess.plain(List.of(EtcdProcess.freeUrl(), etcd.clientUrl())))) {
            long lease = queue.grant(LASTS);
            queue.enter(new Entry(lease, "one"));
            assertTrue(queue.renew(lease));
            assertEquals(1, queue.entries().size());
        }
    }
}
