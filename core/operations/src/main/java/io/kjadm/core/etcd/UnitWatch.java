package io.kjadm.core.etcd;

import io.kjadm.core.host.Services;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.join.StartProblem;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Sees in systemd why a service does not come up. One end is no verdict, as systemd starts it
 * again: it is one if the last words in its log are of a kind that no new start mends, or if it
 * ends again.
 */
public final class UnitWatch {

    private static final int ENDS_TO_GIVE_UP = 2;
    private static final int LINES = 80;

    private final Services services;
    private final String service;
    private int endsBefore;
    private List<String> logBefore = List.of();

    public UnitWatch(Services services, String service) {
        this.services = services;
        this.service = service;
    }

    /**
     * It is about to be started, or was: how it ended before says nothing, nor what its log says so far.
     * That may be of another member, which was removed from this machine.
     */
    public void starts() {
        starts(restarts(properties()));
    }

    /** The same after it was stopped: systemd counts its ends from zero. */
    public void stopped() {
        starts(0);
    }

    private void starts(int ends) {
        endsBefore = ends;
        logBefore = services.log(service, LINES);
    }

    /** Why it does not come up, if that is known. */
    public Optional<StartProblem> cause() {
        Map<String, String> now = properties();
        int ends = restarts(now) - endsBefore;
        boolean failed = "failed".equals(now.get("ActiveState"));
        boolean between = "auto-restart".equals(now.get("SubState"));
        if (!failed && !between && ends < ENDS_TO_GIVE_UP) {
            return Optional.empty();
        }
        List<String> since = logSince();
        List<String> log = failed && since.isEmpty() ? services.log(service, LINES) : since;
        Optional<FatalLogLine> words = FatalLogLine.ofEnded("etcd", log);
        Optional<LogSignature> diagnosis = words.flatMap(FatalLogLine::diagnosis);
        boolean certain = failed
                || ends >= ENDS_TO_GIVE_UP
                || diagnosis
                        .filter(known -> !known.is(LogSignature.Kind.TRY_AGAIN))
                        .isPresent();
        if (!certain) {
            return Optional.empty();
        }
        return Optional.of(new StartProblem(
                new Problem(
                        CommonReason.DOES_NOT_RUN,
                        "service %s of this machine does not stay up%s"
                                .formatted(
                                        service,
                                        diagnosis
                                                .map(known -> ": " + known.meaning())
                                                .orElse("")),
                        words.map(FatalLogLine::line)
                                .orElseGet(() -> "systemd says " + now.getOrDefault("Result", "?")),
                        diagnosis
                                .map(LogSignature::next)
                                .orElse("see its log with 'journalctl -u %s'".formatted(service))),
                diagnosis
                        .filter(known -> known.is(LogSignature.Kind.WRITE_MANIFEST_ANEW))
                        .isPresent()));
    }

    private List<String> logSince() {
        List<String> log = services.log(service, LINES);
        int seen = logBefore.isEmpty() ? -1 : log.lastIndexOf(logBefore.getLast());
        return log.subList(seen + 1, log.size());
    }

    /**
     * What it said of its data when it last ended: that they are lost or damaged, if it did. The lines
     * before may be of another member, which was removed from this machine.
     */
    public Optional<String> damage() {
        return FatalLogLine.ofEnded("etcd", services.logOfRun(service, LINES))
                .flatMap(FatalLogLine::diagnosis)
                .filter(known -> known.is(LogSignature.Kind.REMOVE_AND_ADD_AGAIN))
                .map(LogSignature::meaning);
    }

    /** Why systemd has given it up, if it has. */
    public Optional<StartProblem> failure() {
        return "failed".equals(properties().get("ActiveState")) ? cause() : Optional.empty();
    }

    private Map<String, String> properties() {
        return services.properties(service, "ActiveState", "SubState", "NRestarts", "Result");
    }

    private static int restarts(Map<String, String> properties) {
        String count = properties.getOrDefault("NRestarts", "0");
        return count.matches("\\d{1,9}") ? Integer.parseInt(count) : 0;
    }
}
