package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.check.WalIdentity;
import io.kjadm.etcd.check.WalReader;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The probe and the reader of logs against every etcd at hand. */
class EtcdProbeIT {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    static List<EtcdBinary> versions() {
        return EtcdBinary.found(version -> true);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void aMemberTellsOfItselfAndItsLogTellsTheSame(EtcdBinary binary) throws Exception {
        var version = new EtcdVersion(binary.version().major(), binary.version().minor(), 0);
        MemberProbe look;
        try (EtcdProcess etcd = EtcdProcess.first(binary, folder, "cp-1")) {
            etcd.start();
            look = look(etcd.clientUrl());
            awaitVersion(version);
        }
        assertEquals(binary.version(), look.status().version());
        assertEquals(binary.version().atLeast(3, 6), look.quotaBytes().isPresent());
        assertEquals(
                List.of("cp-1"),
                look.local().orElseThrow().stream().map(Member::name).toList());
        assertEquals(look.local(), look.agreed());
        WalIdentity identity = identity(folder.resolve("cp-1"));
        assertEquals(look.status().clusterId(), identity.clusterId());
        assertEquals(look.status().memberId(), identity.memberId());
        assertEquals(Optional.of(version), identity.clusterVersion());
    }

    @ParameterizedTest
    @MethodSource("versions")
    void nobodyThereIsAFailureThatNamesTheEndpoint(EtcdBinary binary) {
        URI nowhere = EtcdProcess.freeUrl();
        try (EtcdProbe probe = EtcdProbe.open(EtcdAccess.plain(List.of(nowhere)))) {
            EtcdCallException failure = assertThrows(EtcdCallException.class, probe::members);
            assertTrue(
                    failure.getMessage().contains(String.valueOf(nowhere.getPort())),
                    failure.getMessage());
        }
    }

    /** The leader sets it some moments after its election. */
    private void awaitVersion(EtcdVersion version) throws Exception {
        Instant end = Instant.now().plus(LIMIT);
        while (!identity(folder.resolve("cp-1")).clusterVersion().equals(Optional.of(version))
                && Instant.now().isBefore(end)) {
            Thread.sleep(100);
        }
    }

    /** Once it has started and leads. */
    private static MemberProbe look(URI clientUrl) throws InterruptedException {
        Instant end = Instant.now().plus(LIMIT);
        while (true) {
            try (EtcdProbe probe = EtcdProbe.open(EtcdAccess.plain(List.of(clientUrl)))) {
                MemberProbe look = probe.look(probe.members().getFirst(), Duration.ofSeconds(5));
                if (look.status().leads() && look.agreed().isPresent()) {
                    return look;
                }
            } catch (EtcdCallException e) {
                if (Instant.now().isAfter(end)) {
                    throw e;
                }
            }
            Thread.sleep(100);
        }
    }

    private static WalIdentity identity(Path data) throws IOException, WalReader.DamagedException {
        try (Stream<Path> files = Files.list(data.resolve("member/wal"))) {
            Path first = files.filter(file -> file.toString().endsWith(".wal"))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
            try (InputStream log = Files.newInputStream(first)) {
                return WalReader.read(log);
            }
        }
    }
}
