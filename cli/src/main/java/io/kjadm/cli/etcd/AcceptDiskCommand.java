package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.core.auto.AutoLog;
import io.kjadm.core.auto.AutoMemory;
import io.kjadm.core.auto.AutoPaths;
import io.kjadm.core.auto.AutoToken;
import io.kjadm.core.auto.DiskAdoption;
import io.kjadm.core.auto.OwnDisk;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.HostFiles.Claim;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.auto.MachineId;

import picocli.CommandLine;

import java.security.SecureRandom;
import java.util.List;
import java.util.function.Function;

/** {@code kjadm etcd auto accept-disk}: a person's word about the disk of this machine. */
record AcceptDiskCommand(Console console, Function<Console, Reporter> reporters) {

    private static final SecureRandom RANDOM = new SecureRandom();

    CommandLine build() {
        return CommandBuilder.running(
                        "accept-disk",
                        "Accept the disk that is mounted now as the one of this machine's etcd member",
                        this::run)
                .flags(FlagOption.all(
                        Flag.ADOPT,
                        Flag.BIND_ADDRESS,
                        Flag.DATA_DIR,
                        Flag.DATA_LOST,
                        Flag.TOKEN_FILE))
                .words("store", 1, AutoCommand.STORE)
                .example("The data were copied to another disk", "")
                .example("The disk was replaced, and the data are lost", "--data-lost")
                .example(
                        "This machine was installed again, and its data disk was kept",
                        "--adopt /mnt/etcd-store")
                .build();
    }

    private void run(CommandFlags flags, List<String> words) {
        if (flags.isOn(Flag.ADOPT)) {
            if (flags.isOn(Flag.DATA_LOST)) {
                throw new UsageException(
                        "--adopt cannot be used with --data-lost",
                        "it takes over the data on the disk",
                        "leave one of them out");
            }
            adopt(flags, words);
            return;
        }
        words.stream().findFirst().ifPresent(store -> {
            throw new UsageException(
                    "%s cannot be used without --adopt".formatted(store),
                    "no store is asked",
                    "leave it out, or add --adopt");
        });
        try (Composition composition = new Composition(reporters.apply(console), false)) {
            HostFiles files = composition.ports().files();
            MachineId machine = AutoMemory.of(files, AutoPaths.STATE)
                    .machine()
                    .orElseThrow(
                            () -> new UsageException(
                                    "the automatic mode has not run on this machine",
                                    "there is no " + AutoPaths.IDENTITY,
                                    "run 'kjadm etcd auto STORE' first; if the disk is another machine's, add --adopt"));
            disk(files)
                    .accept(
                            machine,
                            flags.isOn(Flag.DATA_LOST),
                            composition.ports().waiter().now());
        }
        console.print("Accepted the disk; see 'kjadm etcd auto status'\n");
    }

    private static OwnDisk disk(HostFiles files) {
        return new OwnDisk(files, EtcdHostPaths.standard().diskNote(), RANDOM);
    }

    private void adopt(CommandFlags flags, List<String> words) {
        words.forEach(AutoCommand::requirePlace);
        try (Composition composition = new Composition(reporters.apply(console), false);
                Claim _ = claim(composition.ports().files())) {
            HostFiles files = composition.ports().files();
            AutoToken token = AutoToken.read(files, AutoRuns.token(files, flags));
            MemberSettings settings = new StandaloneEtcd(composition).loader().settings(flags);
            DiskAdoption.Adopted adopted = AutoRuns.open(composition, words, store -> {
                AutoMemory memory = AutoMemory.of(files, AutoPaths.STATE);
                return new DiskAdoption(
                                AutoLog.open(
                                        store,
                                        token,
                                        memory,
                                        composition.ports().waiter(),
                                        RANDOM),
                                memory,
                                files,
                                disk(files),
                                settings.directories().data())
                        .adopt(settings.peerUrl());
            });
            console.print("""
                    This machine is now %s, with member %s
                    Start the automatic mode: 'systemctl start kjadm-etcd-auto'. It watches for 150 s whether another machine \
                    reports by that ID, then it sets up etcd for the data.
                    """.formatted(adopted.machine(), adopted.member().memberId()));
        }
    }

    /** The daemon has the machine's ID in its memory. */
    private static Claim claim(HostFiles files) {
        return files.claim(AutoPaths.LOCK)
                .orElseThrow(() -> new UsageException(
                        "the automatic mode runs on this machine",
                        "another kjadm holds the lock on " + AutoPaths.LOCK,
                        "run 'systemctl stop kjadm-etcd-auto' first"));
    }
}
