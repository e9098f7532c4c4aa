package io.kjadm.core.standalone;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.host.FileMode;
import io.kjadm.manifests.ManifestYaml;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A machine whose etcd systemd runs, and what a restore leaves of it. */
abstract class RestoredEtcdScene {

    RestoringMachine machine = new RestoringMachine(1);

    void assertRestored() {
        assertServes();
        assertEquals("of the snapshot", machine.files.text(RestoringMachine.DATA));
    }

    void assertServes() {
        assertTrue(machine.started && machine.enabled, "it runs, now and at every boot");
        assertFalse(machine.founded, "etcd ran without data");
        assertFalse(machine.exists(RestoringMachine.JOURNAL));
        assertFalse(machine.exists(RestoringMachine.WORK));
        String environment = machine.files.text(RestoringMachine.ENVIRONMENT);
        String token = environment
                .lines()
                .filter(line -> line.startsWith("ETCD_INITIAL_CLUSTER_TOKEN="))
                .findFirst()
                .orElseThrow();
        assertTrue(token.matches("ETCD_INITIAL_CLUSTER_TOKEN=kjadm-[0-9a-f]{32}"), token);
        assertEquals(
                RestoringMachine.FORMER
                        .replace(
                                "ETCD_INITIAL_CLUSTER_STATE=new",
                                "ETCD_INITIAL_CLUSTER_STATE=existing")
                        .replace("ETCD_INITIAL_CLUSTER_TOKEN=former", token),
                environment);
        assertEquals(
                Optional.of(FileMode.WORLD_READABLE),
                machine.files.mode(Path.of(RestoringMachine.ENVIRONMENT)));
        assertEquals(
                List.of("http://cp-1:2379"),
                ManifestYaml.readObject(machine.files.text("/etc/etcd/external-etcd.yaml"))
                        .get("endpoints"),
                "clients are told of this member only");
    }

    void assertAsBefore() {
        assertEquals("old", machine.files.text(RestoringMachine.DATA));
        assertEquals(RestoringMachine.FORMER, machine.files.text(RestoringMachine.ENVIRONMENT));
        assertHasLine("- http://cp-9:2379", machine.files.text("/etc/etcd/external-etcd.yaml"));
        assertTrue(machine.started && machine.enabled);
        assertFalse(machine.founded, "etcd ran without data");
        assertFalse(machine.exists(RestoringMachine.JOURNAL));
        assertFalse(machine.exists(RestoringMachine.WORK));
    }

    boolean keepsFormerData() {
        return machine.files.list(Path.of("/var/lib")).stream()
                .anyMatch(path -> path.getFileName().toString().startsWith("etcd.replaced-"));
    }

    String toolCall() {
        return machine.commands.stream()
                .filter(RestoringMachine::restores)
                .findFirst()
                .orElseThrow();
    }
}
