package io.kjadm.core.etcd;

import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.cri.ContainerRuntime.Exit;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.LogSignature.Kind;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.join.StartProblem;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** How the containers of one static pod ended, in the order they did. */
final class ContainerExits {

    /** As many as crictl shows, and takes for the whole ID. */
    private static final int ID_DIGITS = 13;

    /** Who lived that long does not die of how it was started. */
    private static final Duration STABLE_AFTER = Duration.ofMinutes(2);

    private static final int EXITS_TO_GIVE_UP = 2;
    /** The runtime may still be writing what the process said last. */
    private static final Duration LOG_PATIENCE = Duration.ofSeconds(3);

    private final String component;
    private final HostFiles files;
    private final Map<String, End> ends = new LinkedHashMap<>();
    private final Map<String, FatalLogLine> lastWords = new HashMap<>();
    private final Set<String> excused = new HashSet<>();

    /** @param component whose they are */
    ContainerExits(String component, HostFiles files) {
        this.component = component;
        this.files = files;
    }

    /** @param seen by this program's clock, not by the machine's, which may be set */
    private record End(Instant seen, Duration life, Exit exit) {

        boolean inPeace() {
            return exit.exitCode() == 0;
        }
    }

    /** Whether it has ended; one that was only made so far has not. */
    static boolean hasEnded(ContainerRuntime runtime, Container container) {
        return !container.running()
                && runtime.exitOf(container.id()).flatMap(Exit::finishedAt).isPresent();
    }

    /** Notes how a container ended, once. */
    void note(ContainerRuntime runtime, Container container, Instant now) {
        if (container.running()
                || ends.containsKey(container.id())
                || excused.contains(container.id())) {
            return;
        }
        runtime.exitOf(container.id())
                .ifPresent(exit -> exit.finishedAt()
                        .ifPresent(at -> ends.put(
                                container.id(),
                                new End(now, Duration.between(container.createdAt(), at), exit))));
    }

    /** However these end, it does not count. */
    void excuse(List<String> containers) {
        excused.addAll(containers);
        containers.forEach(ends::remove);
    }

    /** Why the container ended, if that is reason enough to give up. */
    Optional<StartProblem> cause(Container container, Instant now) {
        End last = ends.get(container.id());
        if (last == null) {
            return Optional.empty();
        }
        Optional<FatalLogLine> words = lastWords(container.id(), last, now);
        Optional<LogSignature> diagnosis = words.flatMap(FatalLogLine::diagnosis);
        int times = timesInSuccession();
        boolean enough = times >= EXITS_TO_GIVE_UP
                || diagnosis.filter(known -> !known.is(Kind.TRY_AGAIN)).isPresent();
        // a member that was removed ends with status 0, as does one that was asked to stop
        boolean removed = diagnosis.filter(known -> known.is(Kind.WIPE)).isPresent();
        if (!removed && (last.inPeace() || !enough)) {
            return Optional.empty();
        }
        String often = times > 1 ? " %d times, most recently".formatted(times) : "";
        String meaning = diagnosis.map(known -> ": " + known.meaning()).orElse("");
        return Optional.of(new StartProblem(
                new Problem(
                        "this node's %s exited%s with status %d%s"
                                .formatted(component, often, last.exit().exitCode(), meaning),
                        reason(last.exit(), words),
                        diagnosis
                                .map(LogSignature::next)
                                .orElse("see its log with 'crictl logs %s'"
                                        .formatted(shortened(container.id())))),
                diagnosis.filter(known -> known.is(Kind.WRITE_MANIFEST_ANEW)).isPresent()));
    }

    private static String shortened(String id) {
        return id.substring(0, Math.min(ID_DIGITS, id.length()));
    }

    private int timesInSuccession() {
        int times = 0;
        for (End end : ends.values()) {
            if (!end.inPeace()) {
                times = end.life().compareTo(STABLE_AFTER) >= 0 ? 1 : times + 1;
            }
        }
        return times;
    }

    private static String reason(Exit exit, Optional<FatalLogLine> words) {
        if (exit.reason().equals("OOMKilled")) {
            return "the kernel killed it because it used too much memory (OOMKilled)";
        }
        return words.map(FatalLogLine::line)
                .orElseGet(() -> exit.message().isBlank()
                        ? "its log has no error message"
                        : "%s: %s".formatted(exit.reason(), exit.message()));
    }

    private Optional<FatalLogLine> lastWords(String id, End end, Instant now) {
        Optional<FatalLogLine> known = Optional.ofNullable(lastWords.get(id));
        boolean complete = Duration.between(end.seen(), now).compareTo(LOG_PATIENCE) >= 0;
        if (known.isPresent() && (complete || known.get().diagnosis().isPresent())) {
            return known;
        }
        Optional<FatalLogLine> read = read(end.exit().logPath());
        read.ifPresent(words -> lastWords.put(id, words));
        return read;
    }

    private Optional<FatalLogLine> read(String logPath) {
        try {
            return FatalLogLine.ofEnded(component, new ContainerLog(files).end(logPath));
        } catch (HostException e) {
            // what the runtime says of the end is left
            return Optional.empty();
        }
    }
}
