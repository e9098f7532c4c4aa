package io.kjadm.core.check;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.PreflightException;
import io.kjadm.core.error.PreflightException.FailedCheck;
import io.kjadm.core.phase.Reporter;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Runs batches of checks and tells all their findings. No check of a
 * batch keeps another from running; a batch with an error ends the command.
 */
public final class Preflight {

    /** Stands for every check in the list of ignored ones. */
    private static final String ALL = "all";

    private final Set<String> ignored;
    private final Reporter out;

    /**
     * @param ignored names of checks whose errors are warnings, in any case; {@code all} for every
     *         check
     */
    public Preflight(Collection<String> ignored, Reporter out) {
        this.ignored = ignored.stream().map(Preflight::folded).collect(Collectors.toSet());
        this.out = out;
    }

    private static String folded(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    /**
     * Runs one batch. Warnings are told at once, errors after the last check.
     *
     * @throws PreflightException if a check that is not ignored found an error
     */
    public void run(List<Check> batch) {
        List<FailedCheck> errors = new ArrayList<>();
        Set<String> required = new TreeSet<>();
        for (Check check : batch) {
            boolean named = ignored.contains(ALL)
                    || check.names().map(Preflight::folded).anyMatch(ignored::contains);
            boolean fatal = !named || !check.ignorable();
            for (Finding finding : findings(check)) {
                if (fatal && finding.level() == Finding.Level.ERROR) {
                    errors.add(new FailedCheck(check.name(), finding.text()));
                    if (!check.ignorable()) {
                        required.add(check.name());
                    }
                } else {
                    out.checked(check.name(), false, finding.text());
                }
            }
        }
        if (errors.isEmpty()) {
            return;
        }
        out.finding("[preflight] Some fatal errors occurred:");
        errors.forEach(error -> out.checked(error.name(), true, error.message()));
        if (!required.isEmpty()) {
            out.finding("[preflight] These protect the cluster and cannot be ignored: "
                    + String.join(", ", required));
        }
        out.finding(
                "[preflight] If you know what you are doing, you can make %s check non-fatal with `--ignore-preflight-errors=...`"
                        .formatted(required.isEmpty() ? "a" : "another"));
        throw new PreflightException("preflight checks failed", "", "", errors);
    }

    private static List<Finding> findings(Check check) {
        try {
            return check.run();
        } catch (HostException e) {
            return List.of(Finding.error(e.getMessage()));
        }
    }
}
