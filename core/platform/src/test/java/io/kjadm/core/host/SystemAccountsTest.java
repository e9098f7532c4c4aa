package io.kjadm.core.host;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.Set;

class SystemAccountsTest {

    private static final String PASSWD = "/etc/passwd";
    private static final String GROUP = "/etc/group";

    private final MemoryFiles files = new MemoryFiles()
            .with(
                    PASSWD,
                    "root:x:0:0:root:/root:/bin/sh\nfirst:x:100:100::/:/bin/false\nlast:x:102:102::/:/bin/false\n")
            .with(GROUP, "root:x:0:\nfirst:x:100:\nsecond:x:101:\n");

    @Test
    void newAccountsGetTheLowestFreeNumbersAndCannotLogIn() {
        SystemAccounts accounts = SystemAccounts.read(files);
        int gid = accounts.group("app", Set.of());
        assertEquals(102, gid);
        assertEquals(101, accounts.user("app", gid));
        assertEquals(103, accounts.group("readers", Set.of("b", "a")));
        accounts.save();
        assertTrue(
                files.text(PASSWD).endsWith("\napp:x:101:102::/nonexistent:/bin/false\n"),
                files.text(PASSWD));
        assertTrue(
                files.text(GROUP).endsWith("\napp:x:102:\nreaders:x:103:a,b\n"), files.text(GROUP));
    }

    @Test
    void accountsThatAreThereAreUsedAndNothingIsWritten() {
        ensure();
        String users = files.text(PASSWD);
        String groups = files.text(GROUP);
        ensure();
        assertEquals(users, files.text(PASSWD));
        assertEquals(groups, files.text(GROUP));
    }

    private void ensure() {
        SystemAccounts accounts = SystemAccounts.read(files);
        accounts.user("app", accounts.group("app", Set.of()));
        accounts.group("readers", Set.of("app", "other"));
        accounts.save();
    }

    @Test
    void whatAnInterruptedRunDidNotAddIsAdded() {
        files.append(Path.of(GROUP), "app:x:200:\n");
        ensure();
        assertHasLine("app:x:101:200::/nonexistent:/bin/false", files.text(PASSWD));
    }

    @Test
    void aFileWithoutAnEndOfLineGetsOne() {
        files.with(GROUP, "root:x:0:");
        ensure();
        assertTrue(files.text(GROUP).startsWith("root:x:0:\napp:x:100:\n"), files.text(GROUP));
    }

    @Test
    void theRangeIsThatOfTheMachine() {
        files.with(
                "/etc/login.defs",
                "# SYS_UID_MIN 1\nSYS_UID_MIN\t\t  300\nSYS_UID_MAX 300\nSYS_GID_MIN 400\n");
        SystemAccounts accounts = SystemAccounts.read(files);
        assertEquals(400, accounts.group("app", Set.of()));
        assertEquals(300, accounts.user("app", 400));
        HostException full = assertThrows(HostException.class, () -> accounts.user("more", 400));
        assertEquals(
                "/etc/passwd has no number left of 300 to 300 (SYS_UID_MIN and _MAX of /etc/login.defs)",
                full.why());
    }

    @Test
    void aRangeThatIsNoNumberIsRefused() {
        files.with("/etc/login.defs", "SYS_GID_MAX many\n");
        HostException refused = assertThrows(HostException.class, () -> SystemAccounts.read(files));
        assertEquals(
                "SYS_GID_MAX of /etc/login.defs is 'many', which is not a number", refused.why());
    }

    @Test
    void anAccountThatIsAnotherIsRefused() {
        refused("app:x:1000:100::/:/bin/false", "'1000'");
        refused("app:x:abc:100::/:/bin/false", "'abc'");
        refused("app:x:101:101::/:/bin/false", "the group '101'");
        refused("app:x:101:100::/:/bin/bash", "the shell '/bin/bash'");
        refused("app:x", "''");
    }

    private void refused(String entry, String why) {
        files.with(PASSWD, entry + "\n");
        SystemAccounts accounts = SystemAccounts.read(files);
        HostException refused = assertThrows(HostException.class, () -> accounts.user("app", 100));
        assertTrue(refused.why().contains(why), refused.why());
    }

    @Test
    void aGroupOfOthersIsRefused() {
        files.with(
                GROUP, "readers:x:100:a,b,mallory\nclosed:x:101:mallory,mallory\nhigh:x:1000:\n");
        SystemAccounts accounts = SystemAccounts.read(files);
        HostException readers = assertThrows(
                HostException.class, () -> accounts.group("readers", Set.of("a", "b")));
        assertEquals(
                "/etc/group gives it the members [a, b, mallory] instead of [a, b]", readers.why());
        assertThrows(HostException.class, () -> accounts.group("closed", Set.of()));
        assertThrows(HostException.class, () -> accounts.group("high", Set.of()));
    }
}
