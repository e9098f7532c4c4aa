package io.kjadm.core.standalone;

import io.kjadm.core.host.CommandRunner;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * The commands of a machine with systemd.
 *
 * @param answers what each says
 */
record MemorySystemd(Function<List<String>, Output> answers) implements CommandRunner {

    @Override
    public Output run(List<String> command, Duration limit) {
        return answers.apply(command);
    }

    @Override
    public boolean isInstalled(String program) {
        return program.equals("systemctl");
    }
}
