package io.kjadm.cli;

import io.kjadm.core.config.CommandFlags;
import io.kjadm.core.config.GoDuration;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.Flag;

import java.time.Duration;

/** The value of a flag that says how long something may take. */
final class FlagDuration {

    private FlagDuration() {}

    /**
     * The duration that was given.
     *
     * @param otherwise if the flag was not set
     * @throws UsageException if it is none, or negative
     */
    static Duration of(CommandFlags flags, Flag flag, Duration otherwise) {
        return flags.text(flag).map(text -> parse(flag, text)).orElse(otherwise);
    }

    private static Duration parse(Flag flag, String text) {
        return GoDuration.parse(text)
                .filter(duration -> !duration.isNegative())
                .orElseThrow(() -> new UsageException(
                        "--%s \"%s\" is not a duration".formatted(flag, text),
                        "",
                        "write it as 30s, 5m or 1h30m"));
    }
}
