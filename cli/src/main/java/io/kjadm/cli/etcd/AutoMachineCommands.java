package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ConsoleConfirmation;
import io.kjadm.core.auto.LogRepair;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.phase.Reporter;
import io.kjadm.store.StoreUrl;

import picocli.CommandLine;

import java.util.List;
import java.util.function.Function;

/** What {@code kjadm etcd auto} does with the disk of this machine's member, and its copy of the log. */
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
                new AcceptDiskCommand(console, reporters).build(),
                CommandBuilder.running(
                                "repair-log",
                                "Write what was deleted of the log in the store again, from the copy of this machine",
                                (flags, words) -> repairLog(flags, words))
                        .flags(FlagOption.all(Flag.TOKEN_FILE))
                        .flags(List.of(new FlagOption(Flag.YES, "Do not ask for confirmation")))
                        .words("store", 1, AutoCommand.STORE)
                        .example("Repair it", "")
                        .build());
    }

    private void repairLog(CommandFlags flags, List<String> words) {
        LogRepair.Repaired repaired =
                new AutoRuns(console, reporters).repairLog(flags, words, new Asked(flags));
        console.print(
                repaired.written() == 0
                        ? "The store holds all that this machine has read\n"
                        : "Wrote %d objects that were missing; the log has %d entries\n"
                                .formatted(
                                        repaired.written(),
                                        repaired.log().tail().slot()));
        console.print(
                "On machines that show UNSAFE_STORE, run 'systemctl restart kjadm-etcd-auto'\n");
    }

    /** The machines would use two logs, if others have the store, or have read more of it. */
    private final class Asked implements LogRepair.Person {
        private final CommandFlags flags;

        Asked(CommandFlags flags) {
            this.flags = flags;
        }

        @Override
        public void confirmEmptied(StoreUrl store) {
            require(
                    "%s holds no cluster file, as a folder that is not mounted. Is it mounted, and was it emptied?"
                            .formatted(store));
        }

        @Override
        public void confirmNewest(List<String> silent, long slot) {
            require(
                    "this machine has read the log up to slot %d, and the machines of %s, which do not report, may have read more. Has none of them?"
                            .formatted(slot, String.join(", ", silent)));
        }

        private void require(String question) {
            if (!flags.isOn(Flag.YES)) {
                new ConsoleConfirmation(console).require("auto", question, "the repair");
            }
        }
    }
}
