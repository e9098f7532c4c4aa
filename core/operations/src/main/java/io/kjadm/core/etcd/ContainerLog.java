package io.kjadm.core.etcd;

import io.kjadm.core.host.HostFiles;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The end of a container's log file as the CRI has it: {@code TIME stdout|stderr P|F TEXT}, where
 * the parts ({@code P}) of a long line are followed by its full end ({@code F}).
 */
public final class ContainerLog {

    /** Hundreds of lines; a panic of etcd with all its goroutines is shorter. */
    private static final int LIMIT = 128 * 1024;

    private static final Pattern LINE =
            Pattern.compile("\\S+ (?:stdout|stderr) ([PF])(?::\\S*)? ?(.*)");

    private final HostFiles files;

    public ContainerLog(HostFiles files) {
        this.files = files;
    }

    /**
     * The last lines as the program wrote them; none if there is no such file.
     *
     * @param logPath as the runtime tells it; empty text if there is none
     * @throws io.kjadm.core.error.HostException if the file cannot be read
     */
    public List<String> end(String logPath) {
        if (logPath.isEmpty()) {
            return List.of();
        }
        byte[] bytes = files.readEnd(Path.of(logPath), LIMIT).orElse(new byte[0]);
        List<String> raw = new String(bytes, StandardCharsets.UTF_8).lines().toList();
        // what was cut off at its beginning says nothing reliable
        return whole(bytes.length < LIMIT ? raw : raw.subList(Math.min(1, raw.size()), raw.size()));
    }

    private static List<String> whole(List<String> raw) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String text : raw) {
            Matcher parts = LINE.matcher(text);
            // another runtime's format is better shown than passed over
            line.append(parts.matches() ? parts.group(2) : text);
            if (!parts.matches() || parts.group(1).equals("F")) {
                lines.add(line.toString());
                line.setLength(0);
            }
        }
        if (!line.isEmpty()) {
            lines.add(line.toString());
        }
        return lines;
    }
}
