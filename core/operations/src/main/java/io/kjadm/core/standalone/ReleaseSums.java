package io.kjadm.core.standalone;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.manifests.TextResource;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * SHA-256 sums of archives, in the format of {@code sha256sum}.
 *
 * @param byFile hexadecimal, by the archive's name
 */
record ReleaseSums(Map<String, String> byFile) {

    private static final Pattern LINE =
            Pattern.compile("(?<sum>[0-9a-fA-F]{64})\\s+\\*?(?<file>\\S+)");

    private static final Pattern ARCHIVE = Pattern.compile("etcd-v(?<version>[0-9.]+)-linux-.*");

    ReleaseSums {
        byFile = Map.copyOf(byFile);
    }

    /** Those that this program was made with. */
    static ReleaseSums pinned() {
        return parse(TextResource.filled(ReleaseSums.class, "etcd-releases.sha256", Map.of()));
    }

    /** Reads them; other lines mean nothing. */
    static ReleaseSums parse(String text) {
        return new ReleaseSums(text.lines()
                .map(String::strip)
                .map(LINE::matcher)
                .filter(Matcher::matches)
                .collect(Collectors.toMap(
                        line -> line.group("file"),
                        line -> line.group("sum").toLowerCase(Locale.ROOT),
                        (one, other) -> other)));
    }

    /** The releases that have one for some architecture. */
    Set<EtcdVersion> versions() {
        return byFile.keySet().stream()
                .map(ARCHIVE::matcher)
                .filter(Matcher::matches)
                .map(file -> EtcdVersion.parse(file.group("version")))
                .collect(Collectors.toSet());
    }

    Optional<String> of(String file) {
        return Optional.ofNullable(byFile.get(file));
    }
}
