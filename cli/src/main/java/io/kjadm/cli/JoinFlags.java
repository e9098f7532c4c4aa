package io.kjadm.cli;

import io.kjadm.core.config.CommandFlags;
import io.kjadm.core.config.GoDuration;
import io.kjadm.core.config.JoinConfiguration;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.join.JoinOptions;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.RejoinOptions;

import java.time.Duration;
import java.util.Optional;

/** What only flags say of a join. */
final class JoinFlags {

    private JoinFlags() {}

    /** @throws UsageException naming the flag whose value cannot be used */
    static JoinOptions read(CommandFlags flags, JoinConfiguration config) {
        RejoinOptions rejoin = new RejoinOptions(
                on(flags, "takeover"),
                on(flags, "replace-lost-voter"),
                on(flags, "keep-learner"),
                on(flags, "allow-degraded"),
                flags.text("wipe-etcd-data").filter(id -> !id.isEmpty()).map(JoinFlags::clusterId));
        JoinLimits usual = JoinLimits.DEFAULTS;
        JoinLimits limits = usual.withTurn(limit(flags, "join-wait").orElse(usual.turn()))
                .withStall(limit(flags, "join-stall-timeout").orElse(usual.stall()))
                .withTotal(limit(flags, "join-timeout").orElse(usual.total()));
        return new JoinOptions(
                config.nodeRegistration().ignorePreflightErrors(),
                on(flags, "allow-mixed"),
                rejoin,
                limits);
    }

    private static boolean on(CommandFlags flags, String name) {
        return flags.bool(name).orElse(false);
    }

    private static Optional<Duration> limit(CommandFlags flags, String name) {
        return flags.text(name)
                .map(text -> GoDuration.parse(text)
                        .filter(Duration::isPositive)
                        .orElseThrow(() -> new UsageException(
                                "--%s cannot be \"%s\"".formatted(name, text),
                                "it must be a duration greater than 0",
                                "write it as 90s, 10m or 1h30m")));
    }

    private static String clusterId(String text) {
        if (!text.matches("[0-9a-f]{1,16}")) {
            throw new UsageException(
                    "--wipe-etcd-data cannot be \"%s\"".formatted(text),
                    "it must be the ID, in hexadecimal, of the cluster whose data may be set aside",
                    "copy it from the message that names it");
        }
        return text;
    }
}
