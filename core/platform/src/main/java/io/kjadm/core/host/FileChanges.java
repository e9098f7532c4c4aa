package io.kjadm.core.host;

import io.kjadm.etcd.Mutates;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Notes which files a run writes, moves and removes: what is different when it has ended. A file
 * that the run created and removed again is not one of them. Owners, modes and directories without
 * files are not noted; nor is what other programs write, the kubelet or etcd for example.
 */
public final class FileChanges {

    /** What happened to a path. */
    public enum Action {
        /** It is a file with new content; it may have existed before. */
        WRITTEN,
        /** It has a new name. A directory moves with everything in it. */
        MOVED,
        /** It does not exist anymore. A directory is removed with everything in it. */
        REMOVED,
        /** It is a directory without the entries that it had. */
        EMPTIED
    }

    /**
     * One path that is different.
     *
     * @param from where it was before, of one that moved
     */
    public record Change(Path path, Action action, Optional<Path> from) {}

    private final Map<Path, Change> changes = new TreeMap<>();

    /** Whether a path existed when the run first touched it. */
    private final Map<Path, Boolean> existed = new TreeMap<>();

    /** The same files, whose changes are noted once they are made. */
    public HostFiles noting(HostFiles real) {
        return (HostFiles) Proxy.newProxyInstance(
                HostFiles.class.getClassLoader(),
                new Class<?>[] {HostFiles.class},
                (proxy, method, arguments) -> {
                    if (!method.isAnnotationPresent(Mutates.class)) {
                        return called(real, method, arguments);
                    }
                    List<Path> paths = paths(method, arguments);
                    synchronized (this) {
                        paths.forEach(path -> touch(path, real));
                    }
                    Object result = called(real, method, arguments);
                    note(method.getName(), paths);
                    return result;
                });
    }

    /** A directory that a file is written to first is one of the run, too. */
    private void touch(Path path, HostFiles real) {
        for (Path place = path; place != null && !existed.containsKey(place); ) {
            existed.put(place, real.exists(place));
            place = place.getParent();
        }
    }

    private static Object called(HostFiles real, Method method, Object[] arguments)
            throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static List<Path> paths(Method method, Object... arguments) {
        Path first = (Path) arguments[0];
        return switch (method.getName()) {
            case "rename" -> List.of(first, (Path) arguments[1]);
            case "createBelow" -> List.of(first.resolve((Path) arguments[1]));
            default -> List.of(first);
        };
    }

    private synchronized void note(String method, List<Path> paths) {
        Path path = paths.getFirst();
        switch (method) {
            case "write", "writeHere", "createBelow", "fill", "append", "link" -> {
                forget(path);
                put(path, Action.WRITTEN, Optional.empty());
            }
            case "rename" -> move(path, paths.getLast());
            case "delete", "deleteTree" -> remove(path);
            case "deleteContents" -> empty(path);
            case "own", "ownTree", "createDirectory", "createOwnDirectory" -> {}
            default -> throw new IllegalStateException("no rule for " + method);
        }
    }

    private void put(Path path, Action action, Optional<Path> from) {
        changes.put(path, new Change(path, action, from));
    }

    private void remove(Path path) {
        boolean there = existed.get(path);
        forget(path);
        if (there) {
            put(path, Action.REMOVED, Optional.empty());
        }
    }

    private void empty(Path directory) {
        boolean there = existed.get(directory);
        changes.values().stream()
                .map(Change::path)
                .filter(path -> path.startsWith(directory) && !path.equals(directory))
                .toList()
                .forEach(this::forget);
        if (there) {
            put(directory, Action.EMPTIED, Optional.empty());
        }
    }

    /** What was done at a path and below it counts no more; what was moved there is removed. */
    private void forget(Path path) {
        List<Change> gone = below(path);
        gone.forEach(change -> changes.remove(change.path()));
        gone.stream()
                .flatMap(change -> change.from().stream())
                .forEach(from -> changes.putIfAbsent(
                        from, new Change(from, Action.REMOVED, Optional.empty())));
    }

    private List<Change> below(Path path) {
        return changes.values().stream()
                .filter(change -> change.path().startsWith(path))
                .toList();
    }

    private void move(Path from, Path to) {
        List<Change> earlier = below(from);
        earlier.forEach(change -> changes.remove(change.path()));
        Optional<Change> own =
                earlier.stream().filter(change -> change.path().equals(from)).findFirst();
        Optional<Path> origin = own.flatMap(Change::from);
        if (origin.isPresent()) {
            origin.filter(place -> !place.equals(to))
                    .ifPresent(place -> put(to, Action.MOVED, origin));
        } else if (existed.get(from) && own.isEmpty()) {
            put(to, Action.MOVED, Optional.of(from));
        } else {
            earlier.stream()
                    .filter(change -> change.action() == Action.WRITTEN)
                    .forEach(change -> put(
                            to.resolve(from.relativize(change.path())),
                            Action.WRITTEN,
                            Optional.empty()));
            if (existed.get(from)) {
                put(from, Action.REMOVED, Optional.empty());
            }
        }
    }

    /** What is different by now, sorted by path. */
    public synchronized List<Change> list() {
        return changes.values().stream()
                .filter(change -> change.action() != Action.REMOVED || !goesWithDirectory(change))
                .toList();
    }

    private boolean goesWithDirectory(Change removed) {
        return changes.values().stream()
                .filter(change ->
                        change.action() == Action.EMPTIED || change.action() == Action.REMOVED)
                .anyMatch(change -> removed.path().startsWith(change.path())
                        && !removed.path().equals(change.path()));
    }
}
