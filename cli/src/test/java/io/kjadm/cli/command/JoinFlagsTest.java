package io.kjadm.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.TestConsole;
import io.kjadm.cli.TestConsole.Run;
import io.kjadm.core.config.ConfigurationFile;
import io.kjadm.core.config.ConfigurationLoader;
import io.kjadm.core.config.JoinConfiguration;
import io.kjadm.core.config.LoadOptions;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.join.JoinOptions;
import io.kjadm.core.net.MachineFacts;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.RejoinOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** What flags make of a join's dealings with etcd. */
class JoinFlagsTest {

    private static final JoinConfiguration CONFIG = new ConfigurationLoader(
                    new MachineFacts(), warning -> {})
            .join(
                    Optional.of(ConfigurationFile.of("f", """
                    apiVersion: kubeadm.k8s.io/v1beta4
                    kind: JoinConfiguration
                    nodeRegistration: {name: cp-2, criSocket: "unix:///run/c.sock"}
                    discovery: {file: {kubeConfigPath: "https://example.com/cluster.conf"}}
                    """)),
                    CommandFlags.none(),
                    Optional.empty(),
                    LoadOptions.RUN);

    private static JoinOptions read(CommandFlags flags) {
        return JoinFlags.read(flags, CONFIG);
    }

    @Test
    void withoutFlagsNothingIsDoneUnasked() {
        JoinOptions options = read(CommandFlags.none());
        assertEquals(RejoinOptions.NONE, options.rejoin());
        assertEquals(JoinLimits.DEFAULTS, options.limits());
    }

    @Test
    void everySwitchReachesTheDecider() {
        JoinOptions options = read(CommandFlags.none()
                .with(Flag.TAKEOVER, "true")
                .with(Flag.REPLACE_LOST_VOTER, "true")
                .with(Flag.KEEP_LEARNER, "true")
                .with(Flag.ALLOW_DEGRADED, "true")
                .with(Flag.WIPE_ETCD_DATA, "cafe12"));
        assertEquals(
                new RejoinOptions(true, true, true, true, false, Optional.of("cafe12")),
                options.rejoin());
        assertFalse(
                read(CommandFlags.none().with(Flag.TAKEOVER, "true")).rejoin().allowDegraded());
        assertTrue(read(CommandFlags.none().with(Flag.ALLOW_MIXED, "true"))
                .rejoin()
                .allowMixed());
        assertFalse(options.rejoin().allowMixed());
    }

    @Test
    void limitsAreTakenOver() {
        JoinLimits limits = read(CommandFlags.none()
                        .with(Flag.JOIN_WAIT, "5m")
                        .with(Flag.JOIN_STALL_TIMEOUT, "45s")
                        .with(Flag.JOIN_TIMEOUT, "1h30m"))
                .limits();
        assertEquals(
                JoinLimits.DEFAULTS
                        .withTurn(Duration.ofMinutes(5))
                        .withStall(Duration.ofSeconds(45))
                        .withTotal(Duration.ofMinutes(90)),
                limits);
    }

    @ParameterizedTest
    @EnumSource(names = {"JOIN_WAIT", "JOIN_STALL_TIMEOUT", "JOIN_TIMEOUT"})
    void aLimitOfNothingIsRefused(Flag flag) {
        for (String value : new String[] {"0s", "-1m", "soon"}) {
            UsageException refused = assertThrows(
                    UsageException.class, () -> read(CommandFlags.none().with(flag, value)));
            assertEquals(
                    "--%s cannot be \"%s\": it must be a duration greater than 0; write it as 90s, 10m or 1h30m"
                            .formatted(flag, value),
                    refused.getMessage());
        }
    }

    @Test
    void aClusterThatIsNoHexadecimalIdIsRefused() {
        UsageException refused = assertThrows(
                UsageException.class,
                () -> read(CommandFlags.none().with(Flag.WIPE_ETCD_DATA, "yes")));
        assertEquals(Set.of("--wipe-etcd-data"), Named.flags(refused.getMessage()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--allow-degraded",
                "--allow-mixed",
                "--join-stall-timeout",
                "--join-timeout",
                "--join-wait",
                "--keep-learner",
                "--replace-lost-voter",
                "--takeover",
                "--wipe-etcd-data"
            })
    void theSinglePhaseTakesTheFlagsOfTheWholeJoin(String flag) {
        Run phase = TestConsole.run("join", "phase", "etcd-join", "--help");
        assertTrue(phase.out().contains(flag), phase.all());
        assertTrue(TestConsole.run("join", "--help").out().contains(flag));
        assertFalse(TestConsole.run("join", "phase", "kubelet-start", "--help")
                .out()
                .contains(flag));
    }

    @Test
    void theSinglePhaseRefusesASwitchThatIsNeitherOnNorOff() {
        Run run = TestConsole.run("join", "phase", "etcd-join", "--takeover=maybe");
        assertEquals(1, run.status());
        assertEquals(
                "Invalid value for option '--takeover': \"maybe\" is not a boolean",
                run.error(),
                run.all());
    }
}
