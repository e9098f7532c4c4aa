package io.kjadm.core.snapshot.schedule;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A service that takes a snapshot and removes old ones, and the timer that starts it. Credentials
 * are in a file that both only name.
 *
 * @param interval between two
 * @param program  absolute path of {@code kjadm} on the node
 * @param save     words behind it that take one
 * @param prune    words behind it that remove old ones, after that
 */
public record SystemdUnits(Interval interval, Path program, List<String> save, List<String> prune) {

    /** Name of both units. */
    public static final String NAME = "kjadm-etcd-snapshot";

    /** With a bucket's credentials, as the environment of the service; for root alone. */
    public static final Path CREDENTIALS = Path.of("/etc/kjadm/etcd-snapshot.env");

    /** What systemd takes as it is. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=,@?&+~-]+");

    public SystemdUnits {
        save = List.copyOf(save);
        prune = List.copyOf(prune);
    }

    /** Both, each with the name of its file before it. */
    public String text() {
        return """
                # /etc/systemd/system/%1$s.service
                [Unit]
                Description=Snapshot of etcd
                Wants=network-online.target
                After=network-online.target

                [Service]
                Type=oneshot
                # a bucket's credentials: AWS_ACCESS_KEY_ID=..., AWS_SECRET_ACCESS_KEY=...
                EnvironmentFile=-%2$s
                ExecStart=%3$s
                ExecStart=%4$s
                TimeoutStartSec=2h
                UMask=0077
                Nice=10

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
                """.formatted(NAME, CREDENTIALS, line(save), line(prune), interval.calendar());
    }

    private String line(List<String> words) {
        return quoted(program.toString()) + " "
                + words.stream().map(SystemdUnits::quoted).collect(Collectors.joining(" "));
    }

    /** systemd.service(5), "Command lines": specifiers, variables, quotes. */
    private static String quoted(String word) {
        String escaped = word.replace("%", "%%");
        return PLAIN.matcher(word).matches()
                ? escaped
                : "\"%s\""
                        .formatted(escaped.replace("\\", "\\\\")
                                .replace("\"", "\\\"")
                                .replace("$", "$$"));
    }
}
