package io.kjadm.core.etcd;

import io.kjadm.core.etcd.EtcdLogLine.Weight;
import io.kjadm.core.etcd.LogSignature.Kind;
import io.kjadm.manifests.EtcdPod;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The line in the end of a log that says best why etcd ended or does not get on.
 *
 * @param line    shortened for a message
 * @param diagnosis what it means, if it is a known one
 */
record FatalLogLine(String line, Optional<LogSignature> diagnosis) {

    private static final int LONGEST = 320;

    /**
     * Of a process that has ended: a known line that is an error, else the last fatal, the last
     * error, or the last line that is no mere information. Warnings tell nothing, since a healthy
     * etcd warns, too; but of its own removal it only warns (3.5 and newer).
     */
    static Optional<FatalLogLine> ofEnded(String component, List<String> log) {
        return component.equals(EtcdPod.NAME) ? ofEtcd(log) : ofOther(log);
    }

    private static Optional<FatalLogLine> ofEtcd(List<String> log) {
        List<EtcdLogLine> lines = parsed(log);
        Predicate<EtcdLogLine> accuses =
                line -> line.weight() == Weight.FATAL || line.weight() == Weight.ERROR;
        return last(lines, line -> line.weight() == Weight.FATAL && known(line))
                .or(() -> last(
                        lines,
                        line -> LogSignature.diagnose(line.text())
                                .filter(known -> known.is(Kind.WIPE))
                                .isPresent()))
                .or(() -> last(
                        lines,
                        line -> (accuses.test(line) || line.weight() == Weight.PLAIN)
                                && known(line)))
                .or(() -> last(lines, line -> line.weight() == Weight.FATAL))
                .or(() -> last(lines, accuses))
                .or(() -> last(lines, line -> line.weight() != Weight.INFO)
                        .map(words -> new FatalLogLine(words.line(), Optional.empty())));
    }

    /** What a component of Kubernetes says last of an error, whatever it means. */
    private static Optional<FatalLogLine> ofOther(List<String> log) {
        List<EtcdLogLine> lines = parsed(log);
        return Stream.<Predicate<EtcdLogLine>>of(
                        line -> line.weight() == Weight.FATAL,
                        line -> line.weight() == Weight.PLAIN
                                && line.text().toLowerCase(Locale.ROOT).startsWith("error"),
                        line -> line.weight() == Weight.ERROR,
                        line -> line.weight() != Weight.INFO)
                .flatMap(wanted -> last(lines, wanted).stream())
                .findFirst()
                .map(words -> new FatalLogLine(words.line(), Optional.empty()));
    }

    private static List<EtcdLogLine> parsed(List<String> log) {
        return log.stream()
                .filter(line -> !line.isBlank())
                .map(EtcdLogLine::parse)
                .toList();
    }

    private static boolean known(EtcdLogLine line) {
        return LogSignature.diagnose(line.text()).isPresent();
    }

    private static Optional<FatalLogLine> last(
            List<EtcdLogLine> lines, Predicate<EtcdLogLine> wanted) {
        return lines.reversed().stream()
                .filter(wanted)
                .findFirst()
                .map(line -> new FatalLogLine(
                        shortened(line.text()), LogSignature.diagnose(line.text())));
    }

    /** The reason stands at the end of long lines, and what they are about at the beginning. */
    private static String shortened(String text) {
        return text.length() <= LONGEST
                ? text
                : text.substring(0, LONGEST / 2) + " … "
                        + text.substring(text.length() - LONGEST / 2);
    }
}
