package io.kjadm.cli.command;

import io.kjadm.core.config.JoinConfiguration;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.join.JoinOptions;
import io.kjadm.core.value.GoDuration;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.RejoinOptions;

import java.time.Duration;
import java.util.Optional;

/** What only flags say of a join. */
public final class JoinFlags {

    private JoinFlags() {}

    /** @throws UsageException naming the flag whose value cannot be used */
    public static JoinOptions read(CommandFlags flags, JoinConfiguration config) {
        return new JoinOptions(
                config.nodeRegistration().ignorePreflightErrors(), rejoin(flags), limits(flags));
    }

    /** What a join may do or put up with. */
    public static RejoinOptions rejoin(CommandFlags flags) {
        return new RejoinOptions(
                flags.isOn(Flag.TAKEOVER),
                flags.isOn(Flag.REPLACE_LOST_VOTER),
                flags.isOn(Flag.KEEP_LEARNER),
                flags.isOn(Flag.ALLOW_DEGRADED),
                flags.isOn(Flag.ALLOW_MIXED),
                flags.text(Flag.WIPE_ETCD_DATA)
                        .filter(id -> !id.isEmpty())
                        .map(JoinFlags::clusterId));
    }

    /** How long it may take. */
    public static JoinLimits limits(CommandFlags flags) {
        JoinLimits usual = JoinLimits.DEFAULTS;
        return usual.withTurn(limit(flags, Flag.JOIN_WAIT).orElse(usual.turn()))
                .withStall(limit(flags, Flag.JOIN_STALL_TIMEOUT).orElse(usual.stall()))
                .withTotal(limit(flags, Flag.JOIN_TIMEOUT).orElse(usual.total()));
    }

    private static Optional<Duration> limit(CommandFlags flags, Flag name) {
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
