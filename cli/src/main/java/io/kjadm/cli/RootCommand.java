package io.kjadm.cli;

import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.LogFormat;
import io.kjadm.cli.etcd.ManualCommands;
import io.kjadm.core.flag.Flag;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;

/** {@code kjadm} itself: the flags every command has, and the help. */
final class RootCommand {

    private static final int AFTER_ALL_OTHERS = 1000;

    private final OptionSpec verbosity = OptionSpec.builder("-v", "--v")
            .type(int.class)
            .paramLabel("N")
            .scopeType(ScopeType.INHERIT)
            .order(AFTER_ALL_OTHERS)
            .description("Number for the log level verbosity")
            .build();
    /** Taken away by the launcher: a JVM that runs cannot change its root. */
    private final OptionSpec rootfs = OptionSpec.builder("--rootfs")
            .type(String.class)
            .paramLabel("DIR")
            .scopeType(ScopeType.INHERIT)
            .order(AFTER_ALL_OTHERS)
            .description(
                    "The path to the 'real' host root filesystem, to be used instead of this one")
            .build();

    /** Go's setting of verbosity by source file, which callers of kubeadm pass on; there is none. */
    private final OptionSpec vmodule = OptionSpec.builder("--vmodule")
            .type(String.class)
            .paramLabel("PATTERN=N")
            .scopeType(ScopeType.INHERIT)
            .order(AFTER_ALL_OTHERS)
            .hidden(true)
            .description("Accepted for compatibility with kubeadm, and ignored")
            .build();

    /** For a machine in automatic mode whose store does not respond; its refusals name it. */
    private final OptionSpec autoOverride = OptionSpec.builder("--auto-override")
            .type(String.class)
            .paramLabel("REASON")
            .scopeType(ScopeType.INHERIT)
            .order(AFTER_ALL_OTHERS)
            .hidden(true)
            .description(
                    "Run a command of etcd on a machine in automatic mode while its store does not respond")
            .build();

    private final OptionSpec logFormat = FlagOption.of(Flag.LOG_FORMAT).toOption().toBuilder()
            .scopeType(ScopeType.INHERIT)
            .order(AFTER_ALL_OTHERS)
            .build();

    private final CommandSpec spec;

    RootCommand(Console console) {
        CommandSpec[] self = new CommandSpec[1];
        Runnable help = () -> self[0].commandLine().usage(console.out());
        self[0] = CommandSpec.wrapWithoutInspection(help);
        spec = self[0];
        spec.name(console.name().toString());
        spec.usageMessage()
                .description(
                        "kjadm: bootstrap highly available Kubernetes control planes, and manage etcd safely")
                .commandListHeading("%nCommands:%n")
                .optionListHeading("%nOptions:%n");
        spec.addOption(logFormat);
        spec.addOption(rootfs);
        spec.addOption(autoOverride);
        spec.addOption(verbosity);
        spec.addOption(vmodule);
        spec.addOption(OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .scopeType(ScopeType.INHERIT)
                .order(AFTER_ALL_OTHERS + 1)
                .description("Help for this command")
                .build());
    }

    CommandLine build() {
        return new CommandLine(spec);
    }

    /**
     * Runs the command that was called.
     *
     * @throws ParameterException if it is to run on another root file system than it does, or to
     *         log in a format that does not exist
     */
    int execute(ParseResult parsed, ManualCommands manual) {
        if (rootfs.getValue() != null && !rootfs.<String>getValue().isEmpty()) {
            throw new ParameterException(
                    parsed.commandSpec().commandLine(),
                    "--rootfs only works with the launcher, bin/kjadm");
        }
        String format = logFormat.getValue();
        if (format != null && LogFormat.named(format).isEmpty()) {
            throw new ParameterException(
                    parsed.commandSpec().commandLine(),
                    "unknown log format \"%s\", use text or json".formatted(format));
        }
        manual.check(parsed, autoOverride.getValue());
        return new CommandLine.RunLast().execute(parsed);
    }

    /** How much the operator wants to see. */
    int verbosity() {
        Integer level = verbosity.getValue();
        return level == null ? 0 : level;
    }
}
