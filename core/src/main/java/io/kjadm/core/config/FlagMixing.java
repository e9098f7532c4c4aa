package io.kjadm.core.config;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.Flag;

import java.util.List;
import java.util.Set;

/**
 * Keeps flags that say what to make from standing beside {@code --config}. The check looks at flags
 * that were explicitly set.
 */
public final class FlagMixing {

    private FlagMixing() {}

    /**
     * Refuses flags that contradict a configuration file.
     *
     * @throws UsageException naming them, sorted
     */
    public static void check(Set<Flag> given) {
        List<String> refused = given.stream()
                .filter(flag -> !flag.besideConfig())
                .map(Flag::toString)
                .sorted()
                .toList();
        if (!refused.isEmpty()) {
            throw new UsageException(
                    "flags cannot be mixed with --config: --" + String.join(", --", refused),
                    "what they set belongs in the configuration file",
                    "set it there, or leave --config out");
        }
    }
}
