package io.kjadm.core.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.CommandRunner.Output;
import io.kjadm.core.value.UnmountFlag;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

class MountsTest {

    private static final Path POD = Path.of("/var/lib/kubelet/pods/a b");

    private final ScriptedRunner runner = new ScriptedRunner();
    private final Mounts mounts = new Mounts(new MemoryFiles().with("/proc/mounts", """
            /dev/sda1 / ext4 rw 0 0
            /dev/sdb1 /var/lib/kubelet xfs rw 0 0
            tmpfs /var/lib/kubelet/pods/a\\040b tmpfs rw 0 0
            tmpfs /var/lib/kubelet/pods/a\\040b/inner tmpfs rw 0 0
            tmpfs /var/lib/kubelet-other/x tmpfs rw 0 0
            fuse /home/somebody/a\\000b fuse rw 0 0
            """), runner);

    @Test
    void onlyWhatIsBelowIsListedLatestFirst() {
        assertEquals(List.of(POD.resolve("inner"), POD), mounts.below(Path.of("/var/lib/kubelet")));
    }

    /** As a name does in a locale that lacks its letters, NUL makes no path. */
    @Test
    void whatLiesElsewhereNeedNotBeAPath() {
        assertEquals(6, mounts.all().size());
        assertEquals(List.of(POD.resolve("inner"), POD), mounts.below(POD.getParent()));
    }

    @Test
    void everythingIsBelowTheRoot() {
        Mounts two = new Mounts(
                new MemoryFiles().with("/proc/mounts", "a / ext4 rw 0 0\nb /run tmpfs rw 0 0\n"),
                runner);
        assertEquals(List.of(Path.of("/run")), two.below(Path.of("/")));
    }

    @Test
    void flagsBecomeArguments() {
        runner.answering("umount --force --lazy --no-canonicalize " + POD, "");
        assertEquals(
                Optional.empty(),
                mounts.unmount(
                        POD,
                        List.of(
                                UnmountFlag.UMOUNT_NOFOLLOW,
                                UnmountFlag.MNT_DETACH,
                                UnmountFlag.MNT_FORCE)));
        runner.answering("umount " + POD, "");
        assertEquals(Optional.empty(), mounts.unmount(POD, List.of(UnmountFlag.MNT_EXPIRE)));
    }

    @Test
    void goneMountIsAWarning() {
        runner.answering(
                "umount " + POD, new Output(32, "", "umount: %s: not mounted.".formatted(POD)));
        assertTrue(mounts.unmount(POD, List.of()).isPresent());
    }

    @Test
    void withFlagsThatExcludeEachOtherItStaysMounted() {
        HostException refused = assertThrows(
                HostException.class,
                () -> mounts.unmount(POD, List.of(UnmountFlag.MNT_EXPIRE, UnmountFlag.MNT_FORCE)));
        assertTrue(refused.why().contains("MNT_EXPIRE"), refused::why);
    }

    @Test
    void busyMountIsAFailure() {
        runner.answering("umount " + POD, new Output(32, "", "umount: target is busy."));
        HostException busy =
                assertThrows(HostException.class, () -> mounts.unmount(POD, List.of()));
        assertEquals("umount: target is busy.", busy.why());
    }
}
