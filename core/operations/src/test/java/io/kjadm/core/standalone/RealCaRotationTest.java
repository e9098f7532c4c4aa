package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.etcd.ExternalEtcdFile;
import io.kjadm.core.etcd.ca.Writing;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.standalone.RotatingMachines.Killed;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.EtcdValues;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/** A new CA for real members with TLS, as {@link RotatedMachineTest} plays it in memory. */
class RealCaRotationTest {

    @TempDir
    Path folder;

    /**
     * The client is another machine's: it has what it was given last, and connects again and again.
     * One run is killed when it has stopped its member.
     */
    @Test
    void threeRoundsAndAClientThatIsGivenWhatItNeedsSeesNothingOfIt() throws IOException {
        try (RealMachines lab = new RealMachines(folder, 3)) {
            ExternalEtcdFile before = lab.machines.getFirst().forControlPlanes();
            var given = new AtomicReference<>(before);
            try (Writing writer = new Writing(() -> lab.client(given.get()))) {
                RealMachines.Real killed = lab.machines.get(1);
                killed.beforeStart = () -> {
                    throw new Killed();
                };
                lab.machines.getFirst().rotate(Confirmation.GIVEN);
                assertThrows(Killed.class, () -> killed.rotate(Confirmation.GIVEN));
                assertFalse(killed.process.alive());
                killed.beforeStart = () -> {};
                killed.rotate(RotatingMachines.UNASKED);
                lab.machines.getLast().rotate(RotatingMachines.UNASKED);
                given.set(killed.forControlPlanes());

                // a power cut takes less time
                lab.end = EtcdProcess::close;
                lab.machines.forEach(machine -> machine.rotate(Confirmation.GIVEN));
                given.set(lab.machines.getLast().forControlPlanes());

                lab.machines.forEach(machine -> machine.rotate(Confirmation.GIVEN));
                assertEquals(Map.of(), failures(writer));
                assertTrue(writer.written() > 20, "it wrote " + writer.written());
            }
            assertEquals(
                    1,
                    lab.machines.stream()
                            .map(machine -> machine.text("ca.crt") + machine.text("ca.key"))
                            .collect(Collectors.toSet())
                            .size());
            ExternalEtcdFile after = lab.machines.getFirst().forControlPlanes();
            try (EtcdValues values = lab.client(after)) {
                assertEquals(Map.of(), values.readAll(EtcdValues.PREFIX + "etcd/ca-rotation/"));
            }
            try (EtcdValues values = lab.client(new ExternalEtcdFile(
                    before.endpoints(), after.caPem(), before.certPem(), before.keyPem()))) {
                assertThrows(EtcdCallException.class, () -> values.read("/writer/0"));
            }
        }
    }

    private static Map<String, Long> failures(Writing writer) {
        return writer.failures().stream()
                .collect(Collectors.groupingBy(failure -> failure, Collectors.counting()));
    }
}
