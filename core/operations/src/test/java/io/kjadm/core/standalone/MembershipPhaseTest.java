package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.etcd.check.WalText;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.net.FakeHost;
import io.kjadm.core.phase.SilentReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.RejoinOptions;
import io.kjadm.manifests.NameAndUrl;
import io.kjadm.manifests.StandaloneEtcd.InitialCluster;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A member whose data are there is started with them. */
class MembershipPhaseTest {

    private static final EtcdHostPaths PATHS = EtcdHostPaths.standard();

    private final MemoryFiles files = new MemoryFiles()
            .with(
                    "/var/lib/etcd/member/wal/0000000000000000-0000000000000000.wal",
                    WalText.of(0x16a1, 0xbeef));
    private final VirtualWaiter waiter = new VirtualWaiter();
    private final List<String> commands = new ArrayList<>();
    private boolean active;
    private final Machine machine = new Machine(
            files,
            new MemorySystemd(words -> {
                commands.add(words.get(1));
                active |= words.contains("start");
                boolean asked = words.contains("is-active");
                return new CommandRunner.Output(
                        asked && !active ? 3 : 0, asked && active ? "active" : "", "");
            }),
            null,
            null,
            waiter,
            waiter);
    private final SystemdEtcd etcd = new SystemdEtcd(machine, PATHS);

    private EtcdRun load(boolean existing) {
        return new EtcdRunLoader(files, new FakeHost(), PATHS, Map.of())
                .load(
                        CommandFlags.none()
                                .with(Flag.BIND_ADDRESS, "10.0.0.7")
                                .with(Flag.VERSION, "3.6.14"),
                        Optional.of(new JoinTarget(
                                List.of(URI.create("https://10.0.0.1:2379")),
                                List.of(),
                                RejoinOptions.NONE,
                                JoinLimits.DEFAULTS,
                                existing)));
    }

    private void run(EtcdRun run) {
        new MembershipPhase(new StandalonePorts(machine, null, null, null, null, Failpoints.none()))
                .run(run, new SilentReporter());
    }

    @Test
    void etcdIsConfiguredAndStarted() {
        run(load(true));
        assertTrue(active);
        assertTrue(etcd.configured());
    }

    /** A join that was killed after its member voted; another voter may be down by now. */
    @Test
    void aVoterThatServesIsNotRestarted() {
        EtcdRun join = load(false);
        etcd.remember(join.record());
        etcd.configure(
                join.record().settings(),
                new InitialCluster(
                        "",
                        true,
                        List.of(
                                new NameAndUrl("etcd1", URI.create("https://10.0.0.1:2380")),
                                new NameAndUrl(
                                        join.record().settings().name(),
                                        URI.create("https://10.0.0.7:2380")))));
        String before = files.text(PATHS.environment().toString());
        active = true;
        run(load(true));
        assertEquals(List.of(), commands.stream().filter("stop"::equals).toList());
        assertEquals(before, files.text(PATHS.environment().toString()));
    }
}
