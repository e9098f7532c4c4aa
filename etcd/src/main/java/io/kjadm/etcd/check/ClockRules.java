package io.kjadm.etcd.check;

import static io.kjadm.etcd.check.EtcdRule.CLOCK;

import java.time.Duration;
import java.util.Optional;

/** The clocks agree well enough for certificates and leases. */
public final class ClockRules {

    private static final Duration WARNING = Duration.ofSeconds(2);
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private ClockRules() {}

    /**
     * What a clock's distance means.
     *
     * @param whose completes "the clock of …"
     * @param ahead of ours; negative if behind
     */
    public static Optional<EtcdFinding> finding(String whose, Duration ahead) {
        if (ahead.abs().compareTo(WARNING) <= 0) {
            return Optional.empty();
        }
        String text = "the clock of %s is %d s %s this machine's; set the clocks (chrony, ntpd)"
                .formatted(
                        whose, ahead.abs().toSeconds(), ahead.isNegative() ? "behind" : "ahead of");
        return Optional.of(
                ahead.abs().compareTo(LIMIT) > 0
                        ? EtcdFinding.error(
                                CLOCK, text + ", %d s is the limit".formatted(LIMIT.toSeconds()))
                        : EtcdFinding.warning(CLOCK, text));
    }
}
