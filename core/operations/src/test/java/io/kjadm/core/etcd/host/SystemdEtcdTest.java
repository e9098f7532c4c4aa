package io.kjadm.core.etcd.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.UnitWatch;
import io.kjadm.core.host.CommandRunner.Output;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.host.ScriptedRunner;
import io.kjadm.core.host.Services;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.manifests.NameAndUrl;
import io.kjadm.manifests.StandaloneEtcd.Directories;
import io.kjadm.manifests.StandaloneEtcd.InitialCluster;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** etcd as a service: what systemctl is asked for, and what its answers mean. */
class SystemdEtcdTest {

    private static final String STOP = "systemctl stop etcd";
    private static final String ENABLE = "systemctl enable etcd";
    private static final String START = "systemctl start --no-block etcd";

    private static final String SHOW =
            "systemctl show --property=ActiveState,SubState,NRestarts,Result etcd";
    private static final String LOG =
            "journalctl --unit=etcd --lines=80 --output=cat --no-pager --quiet";
    private static final MemberSettings SETTINGS = new MemberSettings(
            "one",
            EtcdVersion.parse("3.6.8"),
            InetAddress.ofLiteral("10.0.0.1"),
            new Directories(
                    Path.of("/var/lib/etcd"), Path.of("/etc/etcd/pki"), Path.of("/opt/bin")),
            List.of(),
            List.of());

    private final MemoryFiles files = new MemoryFiles();
    private final ScriptedRunner runner = new ScriptedRunner()
            .with("systemctl")
            .answering("systemctl daemon-reload", "")
            .answering(ENABLE, "")
            .answering("systemctl disable etcd", "")
            .answering(STOP, "")
            .answering(START, "")
            .answering("systemctl show --property=LoadState etcd", "LoadState=loaded\n")
            .answering("systemctl is-active etcd", new Output(3, "inactive\n", ""));
    private final SystemdEtcd service = new SystemdEtcd(
            new Machine(
                    files,
                    runner,
                    new MemoryRuntime(),
                    url -> "",
                    new VirtualWaiter(),
                    new VirtualWaiter()),
            EtcdHostPaths.standard());
    private final UnitWatch watch = new UnitWatch(Services.of(runner), "etcd");

    private static InitialCluster members(String... names) {
        return new InitialCluster(
                "c0ffee",
                false,
                List.of(names).stream()
                        .map(name -> new NameAndUrl(name, URI.create("https://10.0.0.1:2380")))
                        .toList());
    }

    @Test
    void itIsEnabledAndStartedWithoutWaiting() {
        service.start(SETTINGS, members("one"));
        assertTrue(service.configured());
        assertTrue(runner.commands().contains(ENABLE));
        assertTrue(runner.commands().contains(START));
        assertFalse(runner.commands().contains(STOP));
        assertTrue(files.isDirectory(Path.of("/var/lib/etcd")));
    }

    @Test
    void oneThatRunsWithAnotherMemberListIsStartedAnew() {
        service.configure(SETTINGS, members("one"));
        runner.answering("systemctl is-active etcd", "active\n");
        service.start(SETTINGS, members("one"));
        assertFalse(runner.commands().contains(STOP), "nothing has changed");
        assertThrows(
                RuntimeException.class,
                () -> service.start(SETTINGS, members("one", "two")),
                "it waits until the old one has stopped");
        assertTrue(runner.commands().contains(STOP));
    }

    @Test
    void aServiceThatCannotBeStartedEndsTheRun() {
        runner.answering(
                "systemctl start --no-block etcd",
                new Output(1, "", "Unit etcd.service is masked"));
        HostException failure =
                assertThrows(HostException.class, () -> service.start(SETTINGS, members("one")));
        assertEquals(
                "cannot start etcd: \"systemctl start --no-block etcd\" ended with status 1: Unit etcd.service is masked",
                failure.why());
    }

    @Test
    void itsEndIsForGood() {
        service.end();
        assertEquals(
                List.of(
                        "systemctl show --property=LoadState etcd",
                        "systemctl show --property=LoadState etcd",
                        "systemctl stop etcd",
                        "systemctl is-active etcd",
                        "systemctl disable etcd"),
                runner.commands());
    }

    @Test
    void aServiceThatRunsHasNoFault() {
        runner.answering(
                SHOW, "ActiveState=active\nSubState=running\nNRestarts=0\nResult=success\n");
        assertTrue(watch.cause().isEmpty());
    }

    @Test
    void oneThatEndsAgainAndAgainIsGivenUp() {
        runner.answering(
                        SHOW,
                        "ActiveState=activating\nSubState=auto-restart\nNRestarts=3\nResult=exit-code\n")
                .answering(
                        LOG,
                        "{\"level\":\"fatal\",\"msg\":\"discovery failed\",\"error\":\"listen tcp 10.0.0.1:2380: bind: address already in use\"}\n");
        String fault = watch.cause().orElseThrow().problem().toString();
        assertEquals(
                "service etcd of this machine does not stay up: another program uses its port: discovery failed: listen tcp 10.0.0.1:2380: bind: address already in use; stop the program that listens on it; 'ss -ltnp' shows it",
                fault);
    }

    @Test
    void whatEndedBeforeItsStartDoesNotCount() {
        runner.answering(SHOW, "ActiveState=active\nSubState=running\nNRestarts=7\n");
        watch.starts();
        assertTrue(watch.cause().isEmpty());
    }

    /** The journal of a service goes on when its member was removed and another one is set up. */
    @Test
    void whatAnEarlierMemberHasLoggedDoesNotCount() {
        String between =
                "ActiveState=activating\nSubState=auto-restart\nNRestarts=0\nResult=exit-code\n";
        String removed =
                "{\"level\":\"warn\",\"ts\":\"1\",\"msg\":\"server error\",\"error\":\"the member has been permanently removed from the cluster\"}\n";
        runner.answering(SHOW, between).answering(LOG, removed);
        watch.starts();
        assertTrue(watch.cause().isEmpty());
        runner.answering(LOG, removed + removed.replace("\"1\"", "\"2\""));
        assertTrue(watch.cause().isPresent());
    }

    /** Else the new member of a machine is replaced for what a former one has said. */
    @Test
    void dataAreDamagedByWhatTheLastRunSaidAlone() {
        String run = "0123456789abcdef0123456789abcdef";
        String damaged =
                "{\"level\":\"panic\",\"msg\":\"tocommit(9) is out of range [lastIndex(3)]. Was the raft log corrupted, truncated, or lost?\"}\n";
        runner.answering(
                        "systemctl show --property=InvocationID etcd", "InvocationID=" + run + "\n")
                .answering(LOG, damaged)
                .answering(LOG.replace("--unit=etcd", "_SYSTEMD_INVOCATION_ID=" + run), "");
        assertEquals(Optional.empty(), watch.damage());

        runner.answering("systemctl show --property=InvocationID etcd", "InvocationID=\n");
        assertTrue(watch.damage().isPresent());
    }

    /** It had failed before this looked. */
    @Test
    void aServiceThatSystemdHasGivenUpIsDiagnosedByWhatItLoggedLast() {
        runner.answering(SHOW, "ActiveState=failed\nSubState=failed\nNRestarts=5\n")
                .answering(
                        LOG,
                        "{\"level\":\"fatal\",\"msg\":\"discovery failed\",\"error\":\"listen tcp 10.0.0.1:2380: bind: address already in use\"}\n");
        watch.starts();
        assertEquals(
                "discovery failed: listen tcp 10.0.0.1:2380: bind: address already in use",
                watch.cause().orElseThrow().problem().why());
    }
}
