package io.kjadm.etcd.check;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The defects of etcd releases that an operator should know, and the release that repairs each: read
 * from {@code defects.properties}, which says what its lines mean. A version of a minor that is not
 * named there has none.
 */
public final class KnownDefects {

    private static final String FILE = "defects.properties";
    private static final String UNAFFECTED = "unaffected";

    private final List<Defect> defects;

    private KnownDefects(List<Defect> defects) {
        this.defects = defects;
    }

    /** What the checks before a join make of a defect. */
    public enum AtJoin {
        /** Never: it has nothing to do with joins. */
        NOT_REPORTED,
        /** A warning where a learner is in the member list already. */
        LEARNER,
        /** A warning where the join promotes a learner. */
        WARNED,
        /** An error there. */
        REFUSED
    }

    /**
     * One defect.
     *
     * @param id     its name in objects
     * @param what   what happens, a clause without the version
     * @param fixes  by minor ("3.6"), the first release without it; empty if the minor never had it
     * @param atJoin what a join makes of it
     * @param source a page of etcd's
     */
    public record Defect(
            String id,
            String what,
            Map<String, Optional<EtcdVersion>> fixes,
            AtJoin atJoin,
            String source) {

        public Defect {
            fixes = Map.copyOf(fixes);
        }

        /** The release that repairs it for that version; empty if the version does not have it. */
        public Optional<EtcdVersion> fixFor(EtcdVersion version) {
            return fixes.getOrDefault(version.major() + "." + version.minor(), Optional.empty())
                    .filter(fixed -> version.compareTo(fixed) < 0);
        }
    }

    /**
     * The members of one version that has defects.
     *
     * @param members  their labels, in the order of the member list
     * @param defects  at least one
     * @param repaired the first release of the minor that has none of the known defects
     */
    public record Affected(
            EtcdVersion version, List<String> members, List<Defect> defects, EtcdVersion repaired) {

        public Affected {
            members = List.copyOf(members);
            defects = List.copyOf(defects);
        }

        /** "etcd 3.6.8 (cp-1, cp-2): what happens; what else happens". */
        public String text() {
            return "etcd %s%s: %s"
                    .formatted(
                            version,
                            members.isEmpty() ? "" : " (" + String.join(", ", members) + ")",
                            defects.stream().map(Defect::what).collect(Collectors.joining("; ")));
        }

        /** "upgrade to 3.6.14 or newer: 'kjadm etcd upgrade 3.6.14'". */
        public String advice() {
            return "upgrade to %s or newer: 'kjadm etcd upgrade %s'".formatted(repaired, repaired);
        }
    }

    private static final class Shipped {
        static final KnownDefects DEFECTS = read();
    }

    /** Those that come with this program. */
    public static KnownDefects shipped() {
        return Shipped.DEFECTS;
    }

    private static KnownDefects read() {
        try (InputStream file = KnownDefects.class.getResourceAsStream(FILE)) {
            Properties lines = new Properties();
            lines.load(new InputStreamReader(file, StandardCharsets.UTF_8));
            return of(lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Those that some lines say.
     *
     * @throws IllegalArgumentException if one says nothing that is known, or a defect lacks a line
     */
    static KnownDefects of(Properties lines) {
        Map<String, Map<String, String>> byId = new TreeMap<>();
        lines.stringPropertyNames().forEach(name -> {
            String[] parts = name.split("\\.", 2);
            if (parts.length < 2) {
                throw new IllegalArgumentException("\"%s\" names no defect".formatted(name));
            }
            byId.computeIfAbsent(parts[0], id -> new HashMap<>())
                    .put(parts[1], lines.getProperty(name).strip());
        });
        List<Defect> defects = new ArrayList<>();
        byId.forEach((id, values) -> defects.add(defect(id, values)));
        return new KnownDefects(List.copyOf(defects));
    }

    private static Defect defect(String id, Map<String, String> lines) {
        Map<String, String> left = new HashMap<>(lines);
        String what = required(id, "what", left);
        String source = required(id, "source", left);
        AtJoin atJoin = Optional.ofNullable(left.remove("join"))
                .map(text -> atJoin(id, text))
                .orElse(AtJoin.NOT_REPORTED);
        Map<String, Optional<EtcdVersion>> fixes = new HashMap<>();
        left.forEach((minor, fixed) -> fixes.put(minor, fix(id, minor, fixed)));
        if (fixes.isEmpty()) {
            throw new IllegalArgumentException(id + " names no minor");
        }
        return new Defect(id, what, fixes, atJoin, source);
    }

    private static String required(String id, String name, Map<String, String> lines) {
        return Optional.ofNullable(lines.remove(name))
                .filter(text -> !text.isBlank())
                .orElseThrow(
                        () -> new IllegalArgumentException("%s has no %s".formatted(id, name)));
    }

    private static AtJoin atJoin(String id, String text) {
        return switch (text) {
            case "learner" -> AtJoin.LEARNER;
            case "warned" -> AtJoin.WARNED;
            case "refused" -> AtJoin.REFUSED;
            default ->
                throw new IllegalArgumentException(
                        "%s: a join does not know \"%s\"".formatted(id, text));
        };
    }

    private static Optional<EtcdVersion> fix(String id, String minor, String text) {
        if (!minor.matches("\\d+\\.\\d+")) {
            throw new IllegalArgumentException(
                    "%s: nothing is known by \"%s\"".formatted(id, minor));
        }
        if (text.equals(UNAFFECTED)) {
            return Optional.empty();
        }
        EtcdVersion fixed = EtcdVersion.parse(text);
        if (!minor.equals(fixed.major() + "." + fixed.minor())) {
            throw new IllegalArgumentException(
                    "%s: %s is no release of %s".formatted(id, fixed, minor));
        }
        return Optional.of(fixed);
    }

    /** All of them, by ID. */
    public List<Defect> defects() {
        return defects;
    }

    /** The defects of a version, without members; empty if none is known. */
    public Optional<Affected> of(EtcdVersion version) {
        return affected(version, List.of(), _ -> true);
    }

    /** The members whose version is known, by version, the oldest first. */
    public List<Affected> of(EtcdHealth health) {
        return of(labels(health));
    }

    /**
     * The same of some members, the oldest version first.
     *
     * @param labels of the members, by version
     */
    public List<Affected> of(Map<EtcdVersion, List<String>> labels) {
        return of(labels, _ -> true);
    }

    /** The same with the defects that matter alone; versions without one of them are left out. */
    List<Affected> of(EtcdHealth health, Predicate<Defect> matters) {
        return of(labels(health), matters);
    }

    private List<Affected> of(Map<EtcdVersion, List<String>> labels, Predicate<Defect> matters) {
        return new TreeMap<>(labels)
                .entrySet().stream()
                        .flatMap(entry ->
                                affected(entry.getKey(), entry.getValue(), matters).stream())
                        .toList();
    }

    private static Map<EtcdVersion, List<String>> labels(EtcdHealth health) {
        return health.members().stream()
                .filter(member -> health.status(member.id()).isPresent())
                .collect(Collectors.groupingBy(
                        member -> health.status(member.id()).orElseThrow().version(),
                        Collectors.mapping(Member::label, Collectors.toList())));
    }

    private Optional<Affected> affected(
            EtcdVersion version, List<String> members, Predicate<Defect> matters) {
        List<Defect> has = defects.stream()
                .filter(defect -> defect.fixFor(version).isPresent())
                .toList();
        List<Defect> reported = has.stream().filter(matters).toList();
        return reported.isEmpty()
                ? Optional.empty()
                : Optional.of(new Affected(
                        version,
                        members,
                        reported,
                        has.stream()
                                .flatMap(defect -> defect.fixFor(version).stream())
                                .max(Comparator.naturalOrder())
                                .orElseThrow()));
    }
}
