package io.kjadm.etcd.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.EtcdVersion;

import org.junit.jupiter.api.Test;

import java.util.List;

class EtcdFlagsTest {

    private static final EtcdVersion OLD = EtcdVersion.parse("3.5.30");
    private static final EtcdVersion NEW = EtcdVersion.parse("3.6.14");
    private static final EtcdVersion NEWEST = EtcdVersion.parse("3.7.1");

    private static final List<String> AS_OLD = List.of(
            "etcd",
            "--data-dir=/var/lib/etcd",
            "--experimental-initial-corrupt-check=true",
            "--experimental-watch-progress-notify-interval=5s",
            "--initial-cluster=a=https://10.0.0.1:2380",
            "--initial-cluster-state=existing",
            "--snapshot-count=10000",
            "--trusted-ca-file=ca.crt");
    private static final List<String> AS_NEW = List.of(
            "etcd",
            "--data-dir=/var/lib/etcd",
            "--feature-gates=InitialCorruptCheck=true",
            "--initial-cluster=a=https://10.0.0.1:2380",
            "--initial-cluster-state=existing",
            "--snapshot-count=10000",
            "--trusted-ca-file=ca.crt",
            "--watch-progress-notify-interval=5s");

    @Test
    void theNextMinorGetsGatesAndTheNamesThatWereExperimental() {
        assertEquals(new EtcdFlags(AS_NEW, List.of()), EtcdFlags.of(AS_OLD, OLD, NEW));
    }

    @Test
    void theWayBackIsTheSame() {
        assertEquals(new EtcdFlags(AS_OLD, List.of()), EtcdFlags.of(AS_NEW, NEW, OLD));
    }

    @Test
    void aPatchReleaseChangesNothing() {
        assertEquals(
                AS_OLD, EtcdFlags.of(AS_OLD, OLD, EtcdVersion.parse("3.5.33")).arguments());
        assertEquals(
                AS_NEW, EtcdFlags.of(AS_NEW, NEW, EtcdVersion.parse("3.6.8")).arguments());
    }

    @Test
    void gatesOfOneFlagStayTogether() {
        assertEquals(
                List.of("etcd", "--feature-gates=LeaseCheckpoint=true,CompactHashCheck=false"),
                EtcdFlags.of(
                                List.of(
                                        "etcd",
                                        "--feature-gates=LeaseCheckpoint=true",
                                        "--experimental-compact-hash-check-enabled=false"),
                                OLD,
                                NEW)
                        .arguments());
    }

    @Test
    void whatAVersionDoesNotKnowIsTold() {
        assertEquals(
                new EtcdFlags(List.of("etcd", "--name=a"), List.of("--enable-v2=true")),
                EtcdFlags.of(List.of("etcd", "--enable-v2=true", "--name=a"), OLD, NEW));
        assertEquals(
                new EtcdFlags(
                        List.of("etcd", "--experimental-enable-lease-checkpoint=true"),
                        List.of("--feature-gates=SetMemberLocalAddr=true", "--max-learners=2")),
                EtcdFlags.of(
                        List.of(
                                "etcd",
                                "--feature-gates=LeaseCheckpoint=true,SetMemberLocalAddr=true",
                                "--max-learners=2"),
                        NEW,
                        OLD));
    }

    @Test
    void whatWasDeprecatedAMinorAgoIsRenamedBeforeItGoes() {
        assertEquals(
                new EtcdFlags(
                        List.of("etcd", "--corrupt-check-time=1h"),
                        List.of("--experimental-never-heard-of=1")),
                EtcdFlags.of(
                        List.of(
                                "etcd",
                                "--experimental-corrupt-check-time=1h",
                                "--experimental-never-heard-of=1"),
                        NEW,
                        NEWEST));
    }

    @Test
    void aSwitchWithoutAValueIsOn() {
        assertEquals(
                List.of("--feature-gates=InitialCorruptCheck=true"),
                EtcdFlags.of(List.of("--experimental-initial-corrupt-check"), OLD, NEW)
                        .arguments());
    }
}
