package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.commands.TcpPeerProbe;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.host.ScriptedRunner;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.SteadyClock;
import io.kjadm.core.phase.SystemWaiter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.restore.OldClusterCheck;
import io.kjadm.core.restore.RestorePlan;
import io.kjadm.core.restore.RestoreSource;
import io.kjadm.core.restore.RestoredEtcd;
import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.JetcdConnector;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SnapshotBytes;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Which ports of other members say that the old cluster has not ended, with real sockets and the
 * program's own client of etcd: ones that refuse connections, and ones that accept them and stay
 * silent, as an etcd that hangs, or one that receives its first snapshot.
 */
class OldClusterPortsTest {

    private final MemoryFiles files = new MemoryFiles();
    private final EtcdHostPaths paths = EtcdHostPaths.standard();
    private final RecordingReporter out = new RecordingReporter();
    private final Waiter clock = new SystemWaiter(new SteadyClock(), out);
    private final ScriptedRunner systemd = new ScriptedRunner()
            .with("systemctl")
            .answering("systemctl show --property=LoadState etcd", "LoadState=loaded\n");
    private final List<ServerSocket> silent = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (ServerSocket socket : silent) {
            socket.close();
        }
    }

    /** Connections are accepted by the kernel, and nothing ever reads or writes. */
    private URI silent() throws IOException {
        ServerSocket socket = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"));
        silent.add(socket);
        return URI.create("http://127.0.0.1:" + socket.getLocalPort());
    }

    private static URI refusing() {
        return EtcdProcess.freeUrl();
    }

    /** This machine's member is stopped, and its database lists another voter. */
    private void other(URI client, URI peer) {
        URI own = refusing();
        files.with(paths.environment().toString(), """
                ETCD_NAME=cp-1
                ETCD_DATA_DIR=/var/lib/etcd
                ETCD_INITIAL_ADVERTISE_PEER_URLS=%s
                ETCD_ADVERTISE_CLIENT_URLS=%s
                ETCD_LISTEN_CLIENT_URLS=%s
                """.formatted(own, own, own));
        files.with(
                "/var/lib/etcd/member/snap/db",
                SnapshotBytes.listing(List.of(
                        new Member(new MemberId(1), "cp-1", List.of(own), List.of(own), false),
                        new Member(
                                new MemberId(2), "cp-2", List.of(peer), List.of(client), false))));
    }

    private void plan(String... lost) {
        Machine machine = new Machine(files, systemd, new MemoryRuntime(), url -> "", clock, clock);
        RestoredEtcd etcd = new RestoredEtcdService(
                new SystemdEtcd(machine, paths),
                EtcdPrograms.reporting(systemd, files, paths),
                PlainOptions.NONE,
                out);
        EtcdClients clients = NoKubernetes.clients(files, new JetcdConnector(), clock);
        RestorePlan.of(
                new Source(),
                etcd,
                new OldClusterCheck(
                        files, etcd, clients, TcpPeerProbe::listens, List.of(lost), out),
                files);
    }

    /** A snapshot that is never fetched. */
    private static final class Source implements RestoreSource {

        @Override
        public String name() {
            return "s";
        }

        @Override
        public String title() {
            return "snapshot s";
        }

        @Override
        public List<String> describe() {
            return List.of();
        }

        @Override
        public OptionalLong revision() {
            return OptionalLong.of(7);
        }

        @Override
        public String command() {
            return "kjadm etcd snapshot restore s";
        }

        @Override
        public void fetch(HostFiles files, Path file) {
            throw new IllegalStateException("nothing is fetched");
        }
    }

    private ClusterException refused(String... lost) {
        return assertThrows(ClusterException.class, () -> plan(lost));
    }

    @Test
    void aMemberWhosePortsRefuseConnectionsHasToBeNamed() {
        other(refusing(), refusing());

        ClusterException unnamed = refused();

        assertEquals("it is not known whether the old etcd cluster has ended", unnamed.what());
        assertTrue(unnamed.next().endsWith("--declare-lost cp-2"), unnamed::toString);
        assertDoesNotThrow(() -> plan("cp-2"));
    }

    /** It may be an etcd that hangs, and nothing else tells of it. */
    @Test
    void aClientPortThatIsSilentIsNoResponse() throws IOException {
        other(silent(), refusing());

        ClusterException unnamed = refused();

        assertEquals("it is not known whether the old etcd cluster has ended", unnamed.what());
        assertEquals(Set.of("cp-2"), Named.members(unnamed.why()));
        assertDoesNotThrow(() -> plan("cp-2"));
    }

    @Test
    void aPeerPortThatIsSilentIsAMemberThatRuns() throws IOException {
        other(refusing(), silent());

        for (ClusterException refusal : List.of(refused(), refused("cp-2"))) {
            assertEquals("other etcd members still run", refusal.what());
            assertEquals(Set.of("cp-2"), Named.members(refusal.why()), refusal::toString);
        }
    }

    @Test
    void bothPortsSilentIsAMemberThatRuns() throws IOException {
        other(silent(), silent());

        assertEquals("other etcd members still run", refused("cp-2").what());
    }
}
