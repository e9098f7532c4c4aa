package io.kjadm.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code kjadm} itself: the flags every command has, and the help. */
@Command(
        name = "kjadm",
        description = "kjadm: bootstrap a highly available Kubernetes control plane, and change its etcd members safely",
        usageHelpAutoWidth = true,
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nOptions:%n")
final class RootCommand implements Runnable {

    @Option(names = {"-v", "--v"}, paramLabel = "N", scope = ScopeType.INHERIT, order = 1000,
            description = "Number for the log level verbosity")
    int verbosity;

    @Option(names = {"-h", "--help"}, usageHelp = true, scope = ScopeType.INHERIT, order = 1001,
            description = "Help for this command")
    boolean help;

    @Spec
    CommandSpec spec;

    private final Console console;

    RootCommand(Console console) {
        this.console = console;
    }

    @Override
    public void run() {
        spec.commandLine().usage(console.out());
    }
}
