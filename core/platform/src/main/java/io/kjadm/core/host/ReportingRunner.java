package io.kjadm.core.host;

import io.kjadm.core.phase.Reporter;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * The programs of a dry run: those that only ask are run, every other is told to the operator and
 * counts as done without a word.
 */
public final class ReportingRunner implements CommandRunner {

    private static final Set<String> SYSTEMCTL_QUESTIONS =
            Set.of("show", "is-active", "is-enabled");
    private static final Set<String> QUESTIONS = Set.of("--help", "--version");
    private static final Set<String> OPENRC_QUESTIONS = Set.of("status", "show", "--exists");

    private final CommandRunner asked;
    private final Reporter out;

    /** Asks through the given runner. */
    public ReportingRunner(CommandRunner asked, Reporter out) {
        this.asked = asked;
        this.out = out;
    }

    @Override
    public Output run(List<String> command, Duration limit) {
        if (onlyAsks(command)) {
            return asked.run(command, limit);
        }
        out.step("dryrun", "Would run \"%s\"".formatted(String.join(" ", command)));
        return new Output(0, "", "");
    }

    private static boolean onlyAsks(List<String> command) {
        List<String> arguments = command.subList(1, command.size());
        return switch (command.getFirst()) {
            case "kubelet" -> arguments.equals(List.of("--version"));
            case "systemctl" ->
                !arguments.isEmpty() && SYSTEMCTL_QUESTIONS.contains(arguments.getFirst());
            case "rc-service", "rc-update" ->
                arguments.stream().anyMatch(OPENRC_QUESTIONS::contains);
            default -> QUESTIONS.contains(command.getLast());
        };
    }

    @Override
    public boolean isInstalled(String program) {
        return asked.isInstalled(program);
    }
}
