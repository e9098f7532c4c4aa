package io.kjadm.core.host;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileChanges.Change;
import io.kjadm.etcd.Mutates;

import org.junit.jupiter.api.Test;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

class FileChangesTest {

    private final MemoryFiles real = new MemoryFiles()
            .with("/etc/old.yaml", "old")
            .with("/data/member/db", "db")
            .withDirectory("/backup");
    private final FileChanges changes = new FileChanges();
    private final HostFiles files = changes.noting(real);

    private static Path path(String text) {
        return Path.of(text);
    }

    private void write(String path) {
        files.write(path(path), "new", FileMode.OWNER_ONLY);
    }

    private List<String> noted() {
        return changes.list().stream().map(FileChangesTest::text).toList();
    }

    private static String text(Change change) {
        return change.action() + " " + change.path()
                + change.from().map(from -> " from " + from).orElse("");
    }

    @Test
    void whatIsWrittenIsNotedOnceAndInOrder() {
        write("/etc/z.conf");
        write("/etc/a.conf");
        write("/etc/z.conf");
        files.createDirectory(path("/etc/empty"), FileMode.OPEN_DIRECTORY);

        assertEquals(List.of("WRITTEN /etc/a.conf", "WRITTEN /etc/z.conf"), noted());
        assertEquals("new", real.read(path("/etc/a.conf")).orElseThrow());
    }

    @Test
    void readingIsNoChange() {
        files.read(path("/etc/old.yaml"));
        files.list(path("/etc"));

        assertEquals(List.of(), noted());
    }

    @Test
    void aFileOfTheRunItselfThatIsGoneWasNever() {
        write("/etc/tmp/journal");
        files.delete(path("/etc/tmp/journal"));
        files.delete(path("/etc/nothing"));

        assertEquals(List.of(), noted());
    }

    @Test
    void aFileThatIsWrittenUnderAnotherNameFirstHasItsLastName() {
        write("/etc/.hidden");
        files.rename(path("/etc/.hidden"), path("/etc/new.yaml"));

        assertEquals(List.of("WRITTEN /etc/new.yaml"), noted());
    }

    @Test
    void anExistingFileThatIsExchangedIsWrittenAndItsBackupMoved() {
        files.rename(path("/etc/old.yaml"), path("/backup/old.yaml"));
        write("/etc/old.yaml");

        assertEquals(
                List.of("MOVED /backup/old.yaml from /etc/old.yaml", "WRITTEN /etc/old.yaml"),
                noted());
    }

    @Test
    void aFileThatComesBackIsNotChanged() {
        files.rename(path("/etc/old.yaml"), path("/backup/old.yaml"));
        files.rename(path("/backup/old.yaml"), path("/etc/old.yaml"));

        assertEquals(List.of(), noted());
    }

    @Test
    void aFileThatIsMovedAndThenRemovedIsRemovedWhereItWas() {
        files.rename(path("/etc/old.yaml"), path("/backup/old.yaml"));
        files.deleteTree(path("/backup/old.yaml"));

        assertEquals(List.of("REMOVED /etc/old.yaml"), noted());
    }

    @Test
    void aFileThatIsMovedAndThenReplacedIsRemovedWhereItWas() {
        files.rename(path("/etc/old.yaml"), path("/backup/old.yaml"));
        write("/backup/old.yaml");

        assertEquals(List.of("WRITTEN /backup/old.yaml", "REMOVED /etc/old.yaml"), noted());
    }

    @Test
    void aChangedFileThatIsMovedLeavesItsPlace() {
        write("/etc/old.yaml");
        files.rename(path("/etc/old.yaml"), path("/etc/x.yaml"));

        assertEquals(List.of("REMOVED /etc/old.yaml", "WRITTEN /etc/x.yaml"), noted());
    }

    @Test
    void aDirectoryMovesWithWhatIsInIt() {
        write("/data/member/note");
        files.rename(path("/data"), path("/data.removed"));

        assertEquals(List.of("MOVED /data.removed from /data"), noted());
    }

    @Test
    void aDirectoryOfTheRunItselfMovesFileByFile() {
        write("/tmp/new/a");
        write("/tmp/new/b/c");
        files.rename(path("/tmp/new"), path("/etc/new"));

        assertEquals(List.of("WRITTEN /etc/new/a", "WRITTEN /etc/new/b/c"), noted());
    }

    @Test
    void anEmptiedDirectoryIsOneChange() {
        write("/data/member/note");
        files.deleteContents(path("/data"));

        assertEquals(List.of("EMPTIED /data"), noted());
    }

    /** As in a reset: the manifests are set aside, their directory is emptied, then they go. */
    @Test
    void whatIsRemovedWithItsDirectoryIsNoChangeOfItsOwn() {
        files.rename(path("/etc/old.yaml"), path("/backup/old.yaml"));
        files.deleteContents(path("/etc"));
        files.delete(path("/backup/old.yaml"));

        assertEquals(List.of("EMPTIED /etc"), noted());
    }

    @Test
    void whatFailsIsNoChange() {
        real.refusing("/etc/a.conf", "disk full");

        assertThrows(HostException.class, () -> write("/etc/a.conf"));
        assertEquals(List.of(), noted());
    }

    /** A method that nobody thought of here would be missed, or end a run. */
    @Test
    void everyMethodThatChangesFilesHasARule() {
        List<Method> methods = Stream.of(HostFiles.class.getMethods())
                .filter(method -> method.isAnnotationPresent(Mutates.class))
                .toList();
        HostFiles any = changes.noting((HostFiles) Proxy.newProxyInstance(
                HostFiles.class.getClassLoader(),
                new Class<?>[] {HostFiles.class},
                (proxy, method, arguments) ->
                        method.getReturnType() == boolean.class ? false : null));
        for (Method method : methods) {
            Object[] arguments = Arrays.stream(method.getParameterTypes())
                    .map(type -> type == Path.class ? path("/no/such") : null)
                    .toArray();
            assertDoesNotThrow(() -> method.invoke(any, arguments), method::toString);
        }
    }
}
