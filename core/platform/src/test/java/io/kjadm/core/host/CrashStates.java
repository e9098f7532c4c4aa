package io.kjadm.core.host;

import io.kjadm.core.error.HostException;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The states in which a power cut may leave files in memory during one change: production's
 * {@link DiskFiles} makes the change on a {@link CrashDisk} that holds the same files. All changes
 * before it are on the disk ({@code DiskCrashTest}).
 */
public final class CrashStates {

    private final MemoryFiles files;
    private final FileArea area;
    private final List<SortedMap<String, CrashDisk.Node>> states;

    private CrashStates(
            MemoryFiles files, FileArea area, List<SortedMap<String, CrashDisk.Node>> states) {
        this.files = files;
        this.area = area;
        this.states = states;
    }

    /**
     * Plays a change; the files stay as they are.
     *
     * @param change of {@link HostFiles}
     * @param random chooses among what is too much, and the order
     * @return empty if the change is refused: then it leaves nothing
     * @throws AssertionError if production's disk does something else than the files in memory
     */
    public static Optional<CrashStates> of(
            MemoryFiles files, Method change, Object[] arguments, Random random) {
        Object[] once = Arrays.stream(arguments).map(CrashStates::repeatable).toArray();
        MemoryFiles copy = new MemoryFiles().with(files);
        if (!works(copy, change, once)) {
            return Optional.empty();
        }
        FileArea area = files.around(Arrays.stream(once)
                .filter(Path.class::isInstance)
                .map(Path.class::cast)
                .toList());
        CrashDisk disk = new CrashDisk(random.nextLong());
        disk.load(files.tree(area));
        CrashFileSystem system = new CrashFileSystem(disk);
        Object[] onDisk = Arrays.stream(once)
                .map(value -> value instanceof Path path ? system.path(path) : value)
                .toArray();
        if (!works(new DiskFiles(), change, onDisk)) {
            throw new AssertionError(change + " works in memory only");
        }
        new CrashStates(copy, area, List.of()).requireSame(disk.tree());
        return Optional.of(
                new CrashStates(files, area, eachFirstWithout(disk.afterAnyCut(), random)));
    }

    private static boolean works(HostFiles on, Method change, Object[] arguments) {
        try {
            change.invoke(on, arguments);
            return true;
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof HostException) {
                return false;
            }
            throw new AssertionError(e.getCause());
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    /** Bytes that come from somewhere come once only. */
    private static Object repeatable(Object argument) {
        if (!(argument instanceof HostFiles.Filling filling)) {
            return argument;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            filling.into(bytes);
        } catch (IOException e) {
            return (HostFiles.Filling) file -> {
                file.write(bytes.toByteArray());
                throw e;
            };
        }
        return (HostFiles.Filling) bytes::writeTo;
    }

    private void requireSame(SortedMap<String, CrashDisk.Node> disk) {
        MemoryFiles played = new MemoryFiles().with(files);
        played.become(area, disk);
        String expected = CrashDisk.text(played.tree(area));
        String found = CrashDisk.text(files.tree(area));
        if (!expected.equals(found)) {
            throw new AssertionError("on the disk:\n%s\nin memory:\n%s".formatted(expected, found));
        }
    }

    /** In any order, but those that differ in temporary files only come behind the others. */
    private static List<SortedMap<String, CrashDisk.Node>> eachFirstWithout(
            List<SortedMap<String, CrashDisk.Node>> states, Random random) {
        List<SortedMap<String, CrashDisk.Node>> mixed = new ArrayList<>(states);
        Collections.shuffle(mixed, random);
        Map<String, SortedMap<String, CrashDisk.Node>> first = new LinkedHashMap<>();
        for (SortedMap<String, CrashDisk.Node> state : mixed) {
            SortedMap<String, CrashDisk.Node> shown = new TreeMap<>(state);
            shown.keySet().removeIf(CrashDisk::temporary);
            first.putIfAbsent(CrashDisk.text(shown), state);
        }
        Collection<SortedMap<String, CrashDisk.Node>> ordered = new ArrayList<>(first.values());
        mixed.stream().filter(state -> !first.containsValue(state)).forEach(ordered::add);
        return List.copyOf(ordered);
    }

    /** Whether a file is what a cut write may leave until the same file is written again. */
    public static boolean temporary(Path file) {
        return CrashDisk.temporary(file.toString());
    }

    public int count() {
        return states.size();
    }

    /**
     * Leaves the files in one of the states.
     *
     * @param state from 0
     * @return what it has (+), lacks (-) or has otherwise (~) than before the change
     */
    public String leave(int state) {
        SortedMap<String, CrashDisk.Node> before = files.tree(area);
        SortedMap<String, CrashDisk.Node> after = states.get(state);
        files.become(area, after);
        List<String> differences = new ArrayList<>();
        after.forEach((path, node) -> {
            String sign = !before.containsKey(path) ? "+" : before.get(path).same(node) ? "" : "~";
            differences.add(sign.isEmpty() ? "" : sign + path);
        });
        before.keySet().stream()
                .filter(path -> !after.containsKey(path))
                .forEach(path -> differences.add("-" + path));
        differences.removeIf(String::isEmpty);
        return "state %d of %d %s".formatted(state + 1, states.size(), differences);
    }
}
