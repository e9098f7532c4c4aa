package io.kjadm.core.reset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.host.CommandRunner.Output;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.host.Owner;
import io.kjadm.core.host.ScriptedRunner;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

class RootlessAccountsTest {

    private static final Path DATA = Path.of("/var/lib/etcd");
    static final List<String> COMMANDS = List.of(
            "userdel kubeadm-etcd",
            "userdel kubeadm-kas",
            "userdel kubeadm-kcm",
            "userdel kubeadm-ks",
            "groupdel kubeadm-etcd",
            "groupdel kubeadm-kas",
            "groupdel kubeadm-kcm",
            "groupdel kubeadm-ks",
            "groupdel kubeadm-sa-key-readers");

    private final MemoryFiles files = new MemoryFiles().withDirectory(DATA.toString());
    private final ScriptedRunner runner = new ScriptedRunner();
    private final RecordingReporter out = new RecordingReporter();

    @Test
    void usersGoBeforeTheirGroupsAndTheDataGoesBackToRoot() {
        // userdel takes the group of the same name along
        COMMANDS.forEach(command -> runner.answering(
                command,
                new Output(
                        command.startsWith("groupdel kubeadm-k") ? 6 : 0, "", "does not exist")));
        files.ownTree(DATA, new Owner(100, 100));
        new RootlessAccounts(files, runner).remove(Optional.of(DATA), out);
        assertEquals(COMMANDS, runner.commands());
        assertEquals(Owner.ROOT, files.owner(DATA));
        assertEquals(List.of(), out.warnings());
    }

    @Test
    void whatCannotBeRemovedIsAWarningAndTheOthersGo() {
        COMMANDS.forEach(command -> runner.answering(command, ""));
        String why = "user is logged in";
        runner.answering("userdel kubeadm-kas", new Output(8, "", why));
        new RootlessAccounts(files, runner).remove(Optional.empty(), out);
        assertEquals(COMMANDS, runner.commands());
        assertTrue(out.warnings().getFirst().contains(why), out.warnings().toString());
        assertEquals(1, out.warnings().size());
    }

    @Test
    void dataThatIsNotGivenBackAndAToolThatIsNotThereAreWarnings() {
        COMMANDS.forEach(command -> {
            if (!command.startsWith("groupdel kubeadm-sa")) {
                runner.answering(command, "");
            }
        });
        files.keepingOwner(DATA.toString(), "Operation not permitted");
        new RootlessAccounts(files, runner).remove(Optional.of(DATA), out);
        assertEquals(2, out.warnings().size(), out.warnings()::toString);
        assertEquals(Set.of(DATA.toString()), Named.files(out.warnings().getFirst()));
        assertTrue(
                out.warnings().getLast().startsWith("kubeadm-sa-key-readers was not removed: "),
                out.warnings()::toString);
        assertEquals(COMMANDS, runner.commands());
    }
}
