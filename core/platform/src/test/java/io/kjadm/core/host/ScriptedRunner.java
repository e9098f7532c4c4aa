package io.kjadm.core.host;

import io.kjadm.core.error.HostException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Programs with prepared answers. A command without one cannot be run, as if it were not installed.
 */
public final class ScriptedRunner implements CommandRunner {

    private final Map<String, Output> answers = new HashMap<>();
    private final Set<String> installed = new HashSet<>();
    private final List<String> commands = new ArrayList<>();

    /** With programs in the search path; for chains. */
    public ScriptedRunner with(String... programs) {
        installed.addAll(List.of(programs));
        return this;
    }

    /** With the commands that another one has run; for chains. */
    public ScriptedRunner with(ScriptedRunner other) {
        commands.addAll(other.commands);
        return this;
    }

    /** Answers a command (words joined by blanks) with success; for chains. */
    public ScriptedRunner answering(String command, String stdout) {
        return answering(command, new Output(0, stdout, ""));
    }

    /** Answers a command (words joined by blanks); for chains. */
    public ScriptedRunner answering(String command, Output output) {
        answers.put(command, output);
        return this;
    }

    /** Every command that was run, words joined by blanks. */
    public List<String> commands() {
        return List.copyOf(commands);
    }

    @Override
    public Output run(List<String> command, Duration limit) {
        String line = String.join(" ", command);
        commands.add(line);
        Output output = answers.get(line);
        if (output == null) {
            throw new HostException("cannot run " + line, "no such file or directory", "");
        }
        return output;
    }

    @Override
    public boolean isInstalled(String program) {
        return installed.contains(program);
    }
}
