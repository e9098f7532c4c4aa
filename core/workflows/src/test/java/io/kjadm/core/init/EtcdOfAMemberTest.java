package io.kjadm.core.init;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.etcd.CommonReason;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.Optional;

/** {@code init phase etcd local}, with another configuration, where etcd has its data. */
class EtcdOfAMemberTest {

    private static final String MANIFEST = "/etc/kubernetes/manifests/etcd.yaml";
    private static final String ALONE = "--initial-cluster=cp-1=https://192.0.2.10:2380";
    private static final String MEMBERS = "--initial-cluster=cp-0=https://192.0.2.9:2380,"
            + "cp-1=https://192.0.2.10:2380\n    - --initial-cluster-state=existing";

    private final InitLab lab = new InitLab();

    @BeforeEach
    void etcdRuns() {
        etcd("{}");
        lab.files.with("/var/lib/etcd/member/snap/db", "");
    }

    /** Its disk may be mounted late one day, and it must not found a cluster of its own then. */
    @Test
    void oneThatHasJoinedStaysAMemberOfItsCluster() {
        lab.files.with(MANIFEST, lab.files.text(MANIFEST).replace(ALONE, MEMBERS));

        etcd("{extraArgs: [{name: quota-backend-bytes, value: '8589934592'}]}");

        String written = lab.files.text(MANIFEST);
        assertTrue(written.contains("--quota-backend-bytes=8589934592"), written);
        assertTrue(written.contains("--initial-cluster-state=existing"), written);
        assertTrue(written.contains(MEMBERS.lines().findFirst().orElseThrow()), written);
    }

    @Test
    void itIsNotGivenAnotherDirectoryThanThatOfItsData() {
        String before = lab.files.text(MANIFEST);

        ClusterException refusal = assertInstanceOf(
                ClusterException.class,
                assertThrows(PhaseFailure.class, () -> etcd("{dataDir: /srv/etcd}"))
                        .getCause());

        assertEquals(Optional.of(CommonReason.DATA_ELSEWHERE), refusal.reason());
        assertEquals(before, lab.files.text(MANIFEST));
    }

    private void etcd(String local) {
        String configuration = InitLab.CP_1 + "etcd: {local: %s}\n".formatted(local);
        lab.phases(lab.start(InitLab.load(configuration), false), "etcd/local");
    }
}
