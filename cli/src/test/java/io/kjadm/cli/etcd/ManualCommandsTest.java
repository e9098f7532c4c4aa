package io.kjadm.cli.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.cli.CommandTree;
import io.kjadm.cli.console.Console;
import io.kjadm.core.auto.ManualCommand;

import org.junit.jupiter.api.Test;

import picocli.CommandLine;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** On a machine in automatic mode it is decided of each command of etcd when a person may run it. */
class ManualCommandsTest {

    /** A new command belongs here, or into {@link ManualCommand}. */
    private static final Set<String> AT_ANY_TIME = Set.of(
            "alarm disarm",
            "alarm list",
            "auto accept-disk",
            "auto approve restore",
            "auto approve spec",
            "auto check",
            "auto explain",
            "auto log",
            "auto pause",
            "auto repair-log",
            "auto resume",
            "auto retire",
            "auto status",
            "certs check",
            "certs renew",
            "defrag",
            "download",
            "health",
            "info",
            "member list",
            "recover",
            "seed",
            "snapshot copy",
            "snapshot import",
            "snapshot key",
            "snapshot list",
            "snapshot pki",
            "snapshot prune",
            "snapshot save",
            "snapshot schedule",
            "snapshot verify",
            "status");

    @Test
    void ofEachCommandItIsDecided() {
        Set<String> free = new TreeSet<>();
        CommandLine etcd = new CommandTree(Console.ofProcess())
                .forArguments("--help")
                .getSubcommands()
                .get("etcd");
        collect(etcd, List.of(), free);
        assertEquals(new TreeSet<>(AT_ANY_TIME), free);
    }

    /** The commands that run something, and do so at any time. */
    private static void collect(CommandLine command, List<String> words, Set<String> free) {
        if (command.getSubcommands().isEmpty()
                && ManualCommand.of(words, _ -> false).isEmpty()) {
            free.add(String.join(" ", words));
        }
        command.getSubcommands().forEach((name, below) -> {
            List<String> more = new ArrayList<>(words);
            more.add(name);
            collect(below, more, free);
        });
    }
}
