package io.kjadm.manifests;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A comparison of three manifests: as it was generated, as it stands on the disk, as it will be
 * generated. What differs between the first two was made by hand, and is lost with the third unless
 * that has it, too. What is lost can be kept by patches of the third.
 */
public final class HandMadeChanges {

    private final StrategicMerge merge;
    private final Set<String> computedFlags;
    private final List<HandMadeChange> changes = new ArrayList<>();
    private final List<Object> additions = new ArrayList<>();
    private Map<String, Object> patch = Map.of();

    private HandMadeChanges(PatchTarget target, Set<String> computedFlags) {
        this.merge = target.strategicMerge();
        this.computedFlags = computedFlags;
    }

    /**
     * Compares trees as they are read from YAML.
     *
     * @param generated as it was generated when it was written
     * @param found as it stands on the disk
     * @param next as it will be generated
     * @param computedFlags flags, with their dashes, whose value follows from the cluster's
     *     condition at the time, so that a difference is nobody's change
     */
    public static HandMadeChanges between(
            PatchTarget target,
            Map<String, Object> generated,
            Map<String, Object> found,
            Map<String, Object> next,
            Set<String> computedFlags) {
        var comparison = new HandMadeChanges(target, computedFlags);
        comparison.patch = comparison.object(
                "", "", withoutStatus(generated), withoutStatus(found), withoutStatus(next));
        return comparison;
    }

    /** Every change, in the order of their paths. */
    public List<HandMadeChange> changes() {
        return List.copyOf(changes);
    }

    /**
     * A strategic merge patch that makes the changes which do not conflict to the next manifest,
     * but for {@link #additions}; empty if there are none.
     */
    public Map<String, Object> strategicPatch() {
        return Collections.unmodifiableMap(patch);
    }

    /**
     * JSON patch operations that add arguments: those can be kept without keeping all others as
     * they are now, which a strategic patch of a plain list does.
     */
    public List<Object> additions() {
        return List.copyOf(additions);
    }

    /** What is needed to turn {@code next} into what it would be with the changes. */
    private Map<String, Object> object(
            String path,
            String pointer,
            Map<String, Object> generated,
            Map<String, Object> found,
            Map<String, Object> next) {
        var result = new LinkedHashMap<String, Object>();
        var names = new TreeSet<>(generated.keySet());
        names.addAll(found.keySet());
        for (String name : names) {
            var place = new Place(
                    path.isEmpty() ? name : path + "." + name,
                    pointer + "/" + name.replace("~", "~0").replace("/", "~1"),
                    generated.get(name),
                    found.get(name),
                    next.get(name));
            if (place.handMade()) {
                field(name, place, result);
            }
        }
        return result;
    }

    private void field(String name, Place place, Map<String, Object> result) {
        Optional<String> key = merge.keyOf(name).filter(place::hasItemsWith);
        if (place.isObjects()) {
            Map<String, Object> below = object(
                    place.path,
                    place.pointer,
                    map(place.generated),
                    map(place.found),
                    map(place.next));
            if (!below.isEmpty()) {
                result.put(name, below);
            }
        } else if (key.isPresent()) {
            List<Object> below = items(key.get(), place);
            if (!below.isEmpty()) {
                result.put(name, below);
            }
        } else if ((name.equals("command") || name.equals("args")) && place.isTexts()) {
            arguments(place).ifPresent(list -> result.put(name, list));
        } else if (told(place)) {
            result.put(name, place.found);
        }
    }

    /** Notes the change, and says whether it can be kept. */
    private boolean told(Place place) {
        boolean conflicts = !Objects.equals(place.generated, place.next);
        changes.add(new HandMadeChange(
                place.path,
                Optional.ofNullable(place.generated),
                Optional.ofNullable(place.found),
                conflicts));
        return !conflicts;
    }

    private List<Object> items(String key, Place list) {
        var result = new ArrayList<Object>();
        Map<Object, Map<String, Object>> generated = byKey(key, list.generated);
        Map<Object, Map<String, Object>> found = byKey(key, list.found);
        Map<Object, Map<String, Object>> next = byKey(key, list.next);
        var inNext = new ArrayList<>(next.keySet());
        Set<Object> all = new LinkedHashSet<>(generated.keySet());
        all.addAll(found.keySet());
        for (Object value : all) {
            var item = new Place(
                    "%s[%s]".formatted(list.path, value),
                    list.pointer + "/" + inNext.indexOf(value),
                    generated.get(value),
                    found.get(value),
                    next.get(value));
            if (item.handMade()) {
                item(key, value, item).ifPresent(result::add);
            }
        }
        return result;
    }

    private Optional<Map<String, Object>> item(String key, Object value, Place item) {
        var result = new LinkedHashMap<String, Object>(Map.of(key, value));
        if (item.isObjects()) {
            result.putAll(object(
                    item.path, item.pointer, map(item.generated), map(item.found), map(item.next)));
            return Optional.<Map<String, Object>>of(result).filter(below -> below.size() > 1);
        }
        if (!told(item)) {
            return Optional.empty();
        }
        if (item.found == null) {
            result.put("$patch", "delete");
        } else {
            result.putAll(map(item.found));
        }
        return Optional.of(result);
    }

    /** The next list with all changes; empty if there are none, or only additions. */
    private Optional<List<Object>> arguments(Place list) {
        Map<String, List<Object>> generated = byFlag(list.generated);
        Map<String, List<Object>> found = byFlag(list.found);
        Map<String, List<Object>> next = byFlag(list.next);
        Set<String> all = new TreeSet<>(generated.keySet());
        all.addAll(found.keySet());
        all.removeAll(computedFlags);
        boolean onlyAdded = true;
        var added = new ArrayList<Object>();
        for (String flag : all) {
            List<Object> before = generated.get(flag);
            List<Object> now = found.get(flag);
            if (Objects.equals(before, now)
                    || Objects.equals(now, next.get(flag))
                    || !told(argument(list, flag, before, now, next.get(flag)))) {
                continue;
            }
            if (before == null) {
                added.addAll(now);
            } else {
                onlyAdded = false;
            }
            next.compute(flag, (name, texts) -> now);
        }
        if (!onlyAdded) {
            return Optional.of(next.values().stream().flatMap(List::stream).toList());
        }
        added.forEach(argument -> additions.add(new LinkedHashMap<>(
                Map.of("op", "add", "path", list.pointer + "/-", "value", argument))));
        return Optional.empty();
    }

    private static Place argument(
            Place list, String flag, List<Object> before, List<Object> now, List<Object> next) {
        return new Place(
                "%s[%s]".formatted(list.path, flag), "", values(before), values(now), values(next));
    }

    /** What stands right of the equals signs; of a single argument as text. */
    private static Object values(List<Object> arguments) {
        if (arguments == null) {
            return null;
        }
        List<Object> values = arguments.stream()
                .<Object>map(text -> text.toString().replaceFirst("^--[^=]*=", ""))
                .toList();
        return values.size() == 1 ? values.getFirst() : values;
    }

    /** A flag may be given several times; other words stand for themselves. */
    private static Map<String, List<Object>> byFlag(Object list) {
        var flags = new LinkedHashMap<String, List<Object>>();
        for (Object word : list(list)) {
            String text = word.toString();
            String name = text.startsWith("--") ? text.replaceFirst("=.*", "") : text;
            flags.computeIfAbsent(name, absent -> new ArrayList<>()).add(text);
        }
        return flags;
    }

    private static Map<Object, Map<String, Object>> byKey(String key, Object list) {
        var items = new LinkedHashMap<Object, Map<String, Object>>();
        list(list).forEach(item -> items.put(map(item).get(key), map(item)));
        return items;
    }

    /** Nobody configures it, and some writers leave it out. */
    private static Map<String, Object> withoutStatus(Map<String, Object> manifest) {
        Map<String, Object> tree = map(withoutNulls(manifest));
        tree.remove("status");
        return tree;
    }

    private static Object withoutNulls(Object tree) {
        return switch (tree) {
            case Map<?, ?> map -> {
                var copy = new LinkedHashMap<String, Object>();
                map.forEach((name, value) -> {
                    if (value != null) {
                        copy.put(String.valueOf(name), withoutNulls(value));
                    }
                });
                yield copy;
            }
            case List<?> list -> {
                var copy = new ArrayList<Object>();
                list.forEach(item -> copy.add(withoutNulls(item)));
                yield copy;
            }
            case null, default -> tree;
        };
    }

    private static Map<String, Object> map(Object tree) {
        return tree == null ? Map.of() : ManifestYaml.castToObject((Map<?, ?>) tree);
    }

    private static List<?> list(Object tree) {
        return tree == null ? List.of() : (List<?>) tree;
    }

    /** One place of all three; {@code null} where it is missing. */
    private record Place(String path, String pointer, Object generated, Object found, Object next) {

        boolean handMade() {
            return !Objects.equals(generated, found) && !Objects.equals(found, next);
        }

        boolean isObjects() {
            return generated instanceof Map && found instanceof Map && next instanceof Map;
        }

        boolean isTexts() {
            return areLists()
                    && all().allMatch(
                                    list -> list(list).stream().allMatch(String.class::isInstance));
        }

        /** Whether all items are objects that can be told apart by that field. */
        boolean hasItemsWith(String key) {
            return areLists() && all().allMatch(list -> distinct(key, list(list)));
        }

        private static boolean distinct(String key, List<?> items) {
            return items.stream()
                            .filter(item -> item instanceof Map<?, ?> map && map.get(key) != null)
                            .map(item -> map(item).get(key))
                            .distinct()
                            .count()
                    == items.size();
        }

        private boolean areLists() {
            return all().allMatch(tree -> tree == null || tree instanceof List);
        }

        private Stream<Object> all() {
            return Stream.of(generated, found, next);
        }
    }
}
