package io.kjadm.cli.etcd;

import io.kjadm.cli.command.FlagOption;
import io.kjadm.core.auto.AutoPaths;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.value.SystemdWords;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The unit of systemd that runs {@code etcd auto}. */
final class AutoUnit {

    private static final Path PROGRAM = Path.of("/usr/local/bin/kjadm");

    private AutoUnit() {}

    /** The unit, with the name of its file before it. */
    static String text(String store, CommandFlags flags) {
        List<String> words = new ArrayList<>(List.of(program().toString(), "etcd", "auto", store));
        words.addAll(AutoCommand.words(flags, AutoCommand.PASSED));
        words.addAll(AutoCommand.words(
                flags, FlagOption.all(Flag.BIND_ADDRESS, Flag.METRICS_FILE, Flag.TOKEN_FILE)));
        return """
                # /etc/systemd/system/kjadm-etcd-auto.service
                [Unit]
                Description=Automatic mode of etcd
                Documentation=man:kjadm-etcd-auto(1)
                Wants=network-online.target
                After=network-online.target remote-fs.target

                [Service]
                # a bucket's credentials: AWS_ACCESS_KEY_ID=..., AWS_SECRET_ACCESS_KEY=...
                EnvironmentFile=-%s
                ExecStart=%s
                Restart=always
                # of a program that systemd has stopped
                SuccessExitStatus=143
                RestartSec=5
                UMask=0077
                # a command that runs ends or rolls back first
                TimeoutStopSec=5min
                KillMode=mixed

                [Install]
                WantedBy=multi-user.target
                """.formatted(
                        AutoPaths.CREDENTIALS,
                        words.stream().map(SystemdWords::quoted).collect(Collectors.joining(" ")));
    }

    /** What systemd runs before each start of etcd. */
    static List<String> check(CommandFlags flags) {
        List<String> words =
                new ArrayList<>(List.of(program().toString(), "etcd", "auto", "check"));
        words.addAll(AutoCommand.words(flags, FlagOption.all(Flag.TOKEN_FILE)));
        return words;
    }

    /** Where this program was unpacked, if it was. */
    private static Path program() {
        Path packed = Path.of(System.getProperty("java.home")).resolveSibling("bin/kjadm");
        return Files.isExecutable(packed) ? packed : PROGRAM;
    }
}
