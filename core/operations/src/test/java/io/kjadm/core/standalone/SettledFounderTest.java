package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.check.JoinProbes;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.MemberRecord;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.net.FakeHost;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.SilentReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code etcd init} again on a machine whose member serves, and which has lost a part of its files. */
class SettledFounderTest {

    private static final EtcdHostPaths PATHS = EtcdHostPaths.standard();

    private final MemoryFiles files = new MemoryFiles();
    private final VirtualWaiter waiter = new VirtualWaiter();
    private final List<List<String>> commands = new ArrayList<>();
    private final StandalonePorts ports = new StandalonePorts(
            new Machine(
                    files,
                    new MemorySystemd(words -> {
                        commands.add(words);
                        return new CommandRunner.Output(0, "", "");
                    }),
                    null,
                    null,
                    waiter,
                    waiter),
            null,
            null,
            KeyPairPool.onDemand(KeyAlgorithm.ECDSA_P256),
            new StandalonePorts.Seen(null, null, new JoinProbes(null, null, null, null)),
            Failpoints.none());

    private EtcdRun load() {
        return new EtcdRunLoader(files, new FakeHost(), PATHS, Map.of())
                .load(
                        CommandFlags.none()
                                .with(Flag.BIND_ADDRESS, "10.0.0.7")
                                .with(Flag.VERSION, "3.6.14"),
                        Optional.empty());
    }

    private EtcdRun served() {
        MemberRecord record = load().record();
        ports.etcd(load()).finished(record);
        EtcdRun again = load();
        assertTrue(again.settled());
        return again;
    }

    private void run(String name, EtcdRun run) {
        Phase<EtcdRun> phase = EtcdWorkflows.init(ports).phases().stream()
                .filter(it -> it.info().name().equals(name))
                .findFirst()
                .orElseThrow();
        phase.run(run, new SilentReporter());
    }

    /** As where the disk of {@code /etc} was replaced, or only its certificates were deleted. */
    @Test
    void noOtherCaIsMade() {
        EtcdRun again = served();
        List<Path> before = files.files();
        assertThrows(HostException.class, () -> run("certs", again));
        assertEquals(before, files.files());
    }

    @Test
    void etcdIsNotStartedWithoutTheDataThatItHad() {
        EtcdRun again = served();
        assertThrows(HostException.class, () -> run("start", again));
        assertEquals(List.of(), commands);
        assertFalse(files.isDirectory(Path.of("/var/lib/etcd")));

        files.with("/var/lib/etcd/member/snap/db", "data");
        run("start", again);
        assertTrue(commands.stream().anyMatch(words -> words.contains("start")));
    }
}
