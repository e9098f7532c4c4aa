package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.store.MemoryStore;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.StoreProxies;
import io.kjadm.store.StoreUrl;
import io.kjadm.store.Stores;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.BiFunction;

class StoreProbeTest {

    @TempDir
    private Path directory;

    private final MemoryStore memory = new MemoryStore();
    private final MemoryFiles files = new MemoryFiles();

    private ObjectStore folder(String name) {
        return Stores.open(
                StoreUrl.parse(directory.resolve(name).toString()), null, StoreProxies.NONE);
    }

    private void check(ObjectStore store) {
        new StoreProbe(store, files, new SplittableRandom(1)).check();
    }

    /** The store in memory, with another answer to one method; null is its own answer. */
    private ObjectStore lying(String name, BiFunction<Integer, Object[], Object> answer) {
        int[] calls = {0};
        return (ObjectStore) Proxy.newProxyInstance(
                ObjectStore.class.getClassLoader(),
                new Class<?>[] {ObjectStore.class},
                (proxy, method, arguments) -> {
                    Object lie = method.getName().equals(name)
                            ? answer.apply(++calls[0], arguments)
                            : null;
                    try {
                        return lie == null ? method.invoke(memory, arguments) : lie;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private String refusal(ObjectStore store) {
        String why = assertThrows(ClusterException.class, () -> check(store)).why();
        memory.objects.clear();
        return why;
    }

    @Test
    void aStoreThatDoesWhatTheLogNeedsPasses() {
        check(memory);
        assertTrue(memory.objects.isEmpty());

        ObjectStore folder = folder("new");
        check(folder);
        assertEquals(List.of(), folder.list(""));
    }

    @Test
    void aStoreThatReplacesIsRefused() {
        String why = refusal(lying("put", (_, arguments) -> {
            memory.replace((String) arguments[0], (byte[]) arguments[1]);
            return ObjectStore.Put.CREATED;
        }));
        assertEquals("an object was created where there was one", why);
    }

    @Test
    void aStoreThatTellsTwoThatTheyCreatedIsRefused() {
        String why = refusal(lying("put", (call, arguments) -> {
            if (call <= 3) {
                return null;
            }
            memory.put((String) arguments[0], (byte[]) arguments[1]);
            return ObjectStore.Put.CREATED;
        }));
        assertTrue(why.endsWith("8 succeeded"), why);
    }

    @Test
    void aStoreThatShowsLateIsRefused() {
        assertEquals(
                "an object is not read after it was created",
                refusal(lying("read", (call, _) -> call == 1 ? Optional.empty() : null)));
        assertEquals(
                "an object is not listed after it was created",
                refusal(lying("list", (call, _) -> call == 1 ? List.of() : null)));
        assertEquals(
                "an object is not read after it was replaced",
                refusal(lying("replace", (_, _) -> "")));
        assertEquals(
                "an object was there after it was deleted",
                refusal(lying("delete", (call, _) -> call == 1 ? "" : null)));
    }

    @Test
    void aStoreThatDoesNotRespondIsToldOf() {
        FlakyStore store = new FlakyStore(memory);
        store.down = true;
        assertEquals("it is down", refusal(store));
    }

    @ParameterizedTest
    @CsvSource({
        "nfs4, 'rw,vers=4.2,hard', true",
        "nfs, 'rw,lookupcache=all', true",
        "nfs4, 'rw,vers=4.2,lookupcache=pos', false",
        "nfs4, 'rw,lookupcache=none', false",
        "nfs, 'rw,noac', false",
        "ext4, 'rw', false"
    })
    void anNfsMountThatCachesMissingNamesIsRefused(String type, String options, boolean refused) {
        files.with("/proc/self/mountinfo", """
                22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw
                40 22 0:40 / %s rw,relatime shared:9 - %s server:/export %s
                """.formatted(directory, type, options)
                .getBytes(StandardCharsets.UTF_8));
        files.withDirectory(directory.toString());
        ObjectStore folder = folder("store");
        if (refused) {
            String why =
                    assertThrows(ClusterException.class, () -> check(folder)).why();
            assertTrue(why.contains(directory.toString()), why);
        } else {
            assertDoesNotThrow(() -> check(folder));
        }
    }

    /** A mount that is missing leaves a directory of the machine alone. */
    @Test
    void aFolderOnTheRootFileSystemIsTold() {
        files.withDirectory(directory.toString());
        ObjectStore folder = folder("store");
        String root = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw\n";
        assertTrue(isOnRoot(folder, root));
        assertFalse(isOnRoot(
                folder,
                root + "40 22 0:40 / %s rw shared:9 - ext4 /dev/sdb rw\n".formatted(directory)));
        assertFalse(isOnRoot(memory, root));
    }

    private boolean isOnRoot(ObjectStore store, String mounts) {
        files.with("/proc/self/mountinfo", mounts.getBytes(StandardCharsets.UTF_8));
        return new StoreProbe(store, files, new SplittableRandom(1)).isOnRoot();
    }
}
