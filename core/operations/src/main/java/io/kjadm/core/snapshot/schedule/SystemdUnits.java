package io.kjadm.core.snapshot.schedule;

import io.kjadm.core.value.SystemdWords;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A service that takes a snapshot and removes old ones, and the timer that starts it. Credentials
 * are in a file that both only name.
 *
 * @param interval between two
 * @param program  absolute path of {@code kjadm} on the node
 * @param save     words behind it that take one
 * @param prune    words behind it that remove old ones, after that
 * @param written  folders that these write to; the rest of the machine they only read
 */
public record SystemdUnits(
        Interval interval,
        Path program,
        List<String> save,
        List<String> prune,
        List<Path> written) {

    /** Name of both units. */
    public static final String NAME = "kjadm-etcd-snapshot";

    /** With a bucket's credentials, as the environment of the service; for root alone. */
    public static final Path CREDENTIALS = Path.of("/etc/kjadm/etcd-snapshot.env");

    public SystemdUnits {
        save = List.copyOf(save);
        prune = List.copyOf(prune);
        written = List.copyOf(written);
    }

    /** Both, each with the name of its file before it. */
    public String text() {
        return """
                # /etc/systemd/system/%1$s.service
                [Unit]
                Description=Snapshot of etcd
                Wants=network-online.target
                After=network-online.target
                %7$s
                [Service]
                Type=oneshot
                # a bucket's credentials: AWS_ACCESS_KEY_ID=..., AWS_SECRET_ACCESS_KEY=...
                EnvironmentFile=-%2$s
                ExecStart=%3$s
                ExecStart=%4$s
                TimeoutStartSec=2h
                UMask=0077
                Nice=10
                ProtectSystem=strict
                %6$sCapabilityBoundingSet=CAP_DAC_OVERRIDE
                NoNewPrivileges=yes
                PrivateDevices=yes
                ProtectClock=yes
                ProtectControlGroups=yes
                ProtectHostname=yes
                ProtectKernelLogs=yes
                ProtectKernelModules=yes
                ProtectKernelTunables=yes
                RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
                RestrictNamespaces=yes
                RestrictSUIDSGID=yes
                LockPersonality=yes
                SystemCallArchitectures=native

                # /etc/systemd/system/%1$s.timer
                [Unit]
                Description=Snapshots of etcd

                [Timer]
                OnCalendar=%5$s
                # not all nodes at once
                RandomizedDelaySec=60
                Persistent=true

                [Install]
                WantedBy=timers.target
                """.formatted(
                        NAME,
                        CREDENTIALS,
                        line(save),
                        line(prune),
                        interval.calendar(),
                        writable(),
                        mounts());
    }

    /** A snapshot in the place of a mount that comes later would be lost from sight. */
    private String mounts() {
        return folders()
                .map(folder -> "RequiresMountsFor=%s\n".formatted(setting(folder)))
                .collect(Collectors.joining());
    }

    private Stream<String> folders() {
        return written.stream().map(Path::toString).sorted().distinct();
    }

    private static String setting(String folder) {
        return SystemdWords.quoted(folder).replace("$$", "$");
    }

    /** Folders that are missing are created first, as nothing may be created beside them later. */
    private String writable() {
        String folders = folders()
                .map(folder -> "ExecStartPre=+/bin/mkdir -p -m 0755 %s\nReadWritePaths=-%s\n"
                        .formatted(SystemdWords.quoted(folder), setting(folder)))
                .collect(Collectors.joining());
        return folders + (isTmpNamed() ? "" : "PrivateTmp=yes\n");
    }

    private boolean isTmpNamed() {
        return Stream.concat(save.stream(), prune.stream())
                .anyMatch(word -> word.matches("(?s)[^=]*=(/var)?/tmp(/.*)?"));
    }

    private String line(List<String> words) {
        return SystemdWords.quoted(program.toString()) + " "
                + words.stream().map(SystemdWords::quoted).collect(Collectors.joining(" "));
    }
}
