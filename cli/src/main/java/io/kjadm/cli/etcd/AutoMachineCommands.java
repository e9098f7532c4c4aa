package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.console.Console;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.phase.Reporter;

import picocli.CommandLine;

import java.util.List;
import java.util.function.Function;

/** {@code kjadm etcd auto check} and {@code accept-disk}: the disk of this machine's member. */
record AutoMachineCommands(Console console, Function<Console, Reporter> reporters) {

    List<CommandLine> build() {
        return List.of(
                CommandBuilder.running(
                                "check",
                                "Check whether etcd may start on this machine; systemd runs it before each start",
                                (flags, words) -> new AutoRuns(console, reporters).check(flags))
                        .flags(FlagOption.all(Flag.TOKEN_FILE))
                        .example("Show why etcd does not start", "")
                        .build(),
                CommandBuilder.running(
                                "accept-disk",
                                "Accept the disk that is mounted now as the one of this machine's etcd member",
                                (flags, words) -> {
                                    new AutoRuns(console, reporters)
                                            .acceptDisk(flags.isOn(Flag.DATA_LOST));
                                    console.print(
                                            "Accepted the disk; see 'kjadm etcd auto status'\n");
                                })
                        .flags(FlagOption.all(Flag.DATA_LOST))
                        .example("The data were copied to another disk", "")
                        .example("The disk was replaced, and the data are lost", "--data-lost")
                        .build());
    }
}
