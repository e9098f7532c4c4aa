package io.kjadm.core.journal;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.phase.Waiter;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Faults on purpose, for trying out what an interrupted operation leaves behind: {@code
 * KJADM_FAILPOINT=<state>:<before|after>=<exit137|sleep(ms)|error>}, with the system property
 * {@code kjadm.failpoints} set to true. It strikes once, the first
 * time that the journal is about to enter the state, or has just entered it and the announced
 * action has not begun. The states are the steps of all {@link Operation operations}; a command
 * runs one of them, so that two operations may have a step of the same name.
 */
public final class Failpoints {

    /** The environment variable. */
    public static final String VARIABLE = "KJADM_FAILPOINT";
    /** The system property without which the variable has no meaning: it is not set by accident. */
    private static final String PROPERTY = "kjadm.failpoints";
    /** As if by {@code kill -9}. */
    private static final int KILLED = 137;

    private static final Pattern FORM =
            Pattern.compile("([A-Za-z_]+):(before|after)=(exit137|error|sleep\\((\\d{1,9})\\))");

    private final Optional<Failpoint> wanted;
    private final IntConsumer halt;

    private record Failpoint(String state, boolean after, String action, Duration sleep) {}

    private Failpoints(Optional<Failpoint> wanted, IntConsumer halt) {
        this.wanted = wanted;
        this.halt = halt;
    }

    /** No fault. */
    public static Failpoints none() {
        return new Failpoints(Optional.empty(), code -> {});
    }

    /**
     * What the environment of this program asks for, if the program was started for tests.
     *
     * @throws UsageException if the variable's value cannot be read
     */
    public static Failpoints ofProcess() {
        return Boolean.getBoolean(PROPERTY) ? from(System.getenv()) : none();
    }

    /**
     * What an environment asks for.
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
        return new Failpoints(
                Optional.ofNullable(environment.get(VARIABLE))
                        .filter(value -> !value.isBlank())
                        .map(Failpoints::parse),
                halt);
    }

    private static Failpoint parse(String value) {
        Matcher matcher = FORM.matcher(value.strip());
        if (!matcher.matches()) {
            throw malformed(value, "it is not <state>:<before|after>=<exit137|sleep(ms)|error>");
        }
        String state = matcher.group(1).toUpperCase(Locale.ROOT);
        if (states().noneMatch(state::equals)) {
            throw malformed(value, "there is no state " + matcher.group(1));
        }
        return new Failpoint(
                state,
                matcher.group(2).equals("after"),
                matcher.group(3),
                Duration.ofMillis(matcher.group(4) == null ? 0 : Long.parseLong(matcher.group(4))));
    }

    private static Stream<String> states() {
        return Operation.allSteps();
    }

    private static UsageException malformed(String value, String why) {
        return new UsageException(
                "%s=%s cannot be understood".formatted(VARIABLE, value),
                why,
                "the states are " + states().collect(Collectors.joining(", ")));
    }

    /** The fault, for a journal. */
    public Fuse fuse(Waiter waiter) {
        return new Fuse(
                wanted,
                (state, length) -> waiter.pause("etcd", "failpoint " + state, length),
                halt);
    }

    /** A fault that strikes once, or none. */
    public static final class Fuse {

        private final BiConsumer<Enum<?>, Duration> sleep;
        private final IntConsumer halt;
        private Optional<Failpoint> left;

        private Fuse(
                Optional<Failpoint> wanted, BiConsumer<Enum<?>, Duration> sleep, IntConsumer halt) {
            this.left = wanted;
            this.sleep = sleep;
            this.halt = halt;
        }

        /** No fault. */
        public static Fuse none() {
            return new Fuse(Optional.empty(), (_, _) -> {}, _ -> {});
        }

        /** Enters a state, with the fault before it or after it. */
        public void around(Enum<?> state, Runnable entering) {
            strike(state, false);
            entering.run();
            strike(state, true);
        }

        private void strike(Enum<?> state, boolean after) {
            Optional<Failpoint> now = left.filter(failpoint ->
                    failpoint.state().equals(state.name()) && failpoint.after() == after);
            if (now.isEmpty()) {
                return;
            }
            left = Optional.empty();
            switch (now.get().action()) {
                case "exit137" -> halt.accept(KILLED);
                case "error" ->
                    throw new HostException(
                            "failpoint %s %s".formatted(state, after ? "after" : "before"),
                            VARIABLE + " asks for it",
                            "unset " + VARIABLE);
                default -> sleep.accept(state, now.get().sleep());
            }
        }
    }
}
