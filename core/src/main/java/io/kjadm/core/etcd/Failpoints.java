package io.kjadm.core.etcd;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinState;
import io.kjadm.etcd.join.MembershipJournal;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Faults on purpose, for trying out what an interrupted join leaves behind: {@code
 * KJADM_FAILPOINT=<state>:<before|after>=<exit137|sleep(ms)|error>}. It strikes once, the first time that the journal is
 * about to enter the state, or has just entered it and the announced action has not begun.
 */
public final class Failpoints {

    /** The environment variable. */
    public static final String VARIABLE = "KJADM_FAILPOINT";
    /** As if by {@code kill -9}. */
    private static final int KILLED = 137;

    private static final Pattern FORM =
            Pattern.compile("([A-Za-z]+):(before|after)=(exit137|error|sleep\\((\\d{1,9})\\))");

    private final Optional<Failpoint> wanted;
    private final IntConsumer halt;

    private record Failpoint(JoinState state, boolean after, String action, Duration sleep) {}

    private Failpoints(Optional<Failpoint> wanted, IntConsumer halt) {
        this.wanted = wanted;
        this.halt = halt;
    }

    /** No fault. */
    public static Failpoints none() {
        return new Failpoints(Optional.empty(), code -> { });
    }

    /**
     * What the environment asks for.
     *
     * @throws UsageException if the variable's value cannot be read
     */
    public static Failpoints from(Map<String, String> environment) {
        return from(environment, Runtime.getRuntime()::halt);
    }

    /**
     * As {@link #from(Map)}.
     *
     * @param halt ends the program at once, with that exit status
     */
    public static Failpoints from(Map<String, String> environment, IntConsumer halt) {
        return new Failpoints(Optional.ofNullable(environment.get(VARIABLE)).filter(value -> !value.isBlank())
                .map(Failpoints::parse), halt);
    }

    private static Failpoint parse(String value) {
        Matcher matcher = FORM.matcher(value.strip());
        if (!matcher.matches()) {
            throw malformed(value, "it is not <state>:<before|after>=<exit137|sleep(ms)|error>");
        }
        JoinState state = Arrays.stream(JoinState.values())
                .filter(known -> known.name().equals(matcher.group(1).toUpperCase(Locale.ROOT))).findFirst()
                .orElseThrow(() -> malformed(value, "there is no state " + matcher.group(1)));
        return new Failpoint(state, matcher.group(2).equals("after"), matcher.group(3),
                Duration.ofMillis(matcher.group(4) == null ? 0 : Long.parseLong(matcher.group(4))));
    }

    private static UsageException malformed(String value, String why) {
        return new UsageException("%s=%s cannot be understood".formatted(VARIABLE, value), why, "the states are "
                + Arrays.stream(JoinState.values()).map(Enum::name).collect(Collectors.joining(", ")));
    }

    /** The same journal, with the fault in it. */
    public MembershipJournal in(MembershipJournal journal, Waiter waiter) {
        return wanted.<MembershipJournal>map(failpoint -> new Faulty(journal, failpoint, waiter, halt)).orElse(journal);
    }

    private static final class Faulty implements MembershipJournal {

        private final MembershipJournal real;
        private final Failpoint failpoint;
        private final Waiter waiter;
        private final IntConsumer halt;
        private boolean struck;

        Faulty(MembershipJournal real, Failpoint failpoint, Waiter waiter, IntConsumer halt) {
            this.real = real;
            this.failpoint = failpoint;
            this.waiter = waiter;
            this.halt = halt;
        }

        @Override
        public Optional<JoinEntry> read() {
            return real.read();
        }

        @Override
        public void write(JoinEntry entry) {
            strike(entry, false);
            real.write(entry);
            strike(entry, true);
        }

        @Override
        public void clear() {
            real.clear();
        }

        private void strike(JoinEntry entry, boolean after) {
            if (struck || entry.state() != failpoint.state() || after != failpoint.after()) {
                return;
            }
            struck = true;
            switch (failpoint.action()) {
                case "exit137" -> halt.accept(KILLED);
                case "error" -> throw new HostException("failpoint %s %s".formatted(
                        entry.state(), after ? "after" : "before"), VARIABLE + " asks for it", "unset " + VARIABLE);
                default -> waiter.pause("etcd", "failpoint " + entry.state(), failpoint.sleep());
            }
        }
    }
}
