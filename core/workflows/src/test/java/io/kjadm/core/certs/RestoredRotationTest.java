package io.kjadm.core.certs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.UsageException;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.EtcdValues;
import io.kjadm.pki.CertificateInfo;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** A real etcd with the notes of a rotation that a snapshot of those days has brought back. */
class RestoredRotationTest {

    private static final String ALL = EtcdValues.PREFIX + "etcd/ca-rotation/";
    private static final String ENDED = EtcdValues.PREFIX + "etcd/ca-rotation-ended";

    @TempDir
    Path folder;

    /** Rotates to the end; what etcd had noted before the last stage, as a snapshot would have it. */
    private static Map<String, String> rotate(RotationLab.Node node) {
        Map<String, String> noted = new HashMap<>();
        node.beforeRestart = () -> {
            try (EtcdValues values = node.values()) {
                noted.putAll(values.readAll(ALL));
            } catch (EtcdCallException e) {
                // the last look counts
            }
        };
        node.rotate(Duration.ZERO);
        node.beforeRestart = () -> {};
        return noted;
    }

    /** A restored member has another ID than the one that had noted its stage. */
    private static void restore(RotationLab.Node node, Map<String, String> noted) {
        try (EtcdValues values = node.values()) {
            values.removeAll(ENDED);
            noted.forEach((key, value) ->
                    values.write(key.contains("/members/") ? ALL + "members/123abc" : key, value));
        }
    }

    private static CertificateInfo ca(RotationLab.Node node) {
        return CertificateInfo.parse(node.read("etcd/ca.crt"));
    }

    @Test
    void aRotationThatHasEndedIsNotTakenForTheOneThatIsWanted() throws IOException {
        try (RotationLab lab = new RotationLab(folder, 1)) {
            RotationLab.Node node = lab.node(1);
            node.end = EtcdProcess::close;
            CertificateInfo first = ca(node);
            Map<String, String> noted = rotate(node);
            CertificateInfo second = ca(node);
            restore(node, noted);

            assertThrows(
                    UsageException.class,
                    () -> node.rotation(UnaryOperator.identity())
                            .run(Duration.ZERO, (area, question) -> false));
            try (EtcdValues values = node.values()) {
                assertEquals(noted.size(), values.readAll(ALL).size());
            }
            assertTrue(node.rotation(UnaryOperator.identity()).next().startsWith("remove"));

            boolean[] trusted = {false};
            node.beforeRestart = () -> trusted[0] |=
                    CertificateInfo.parseAll(node.read("etcd/ca.crt")).contains(first);
            node.rotate(Duration.ZERO);

            assertFalse(trusted[0], "the CA before is trusted again");
            assertFalse(List.of(first, second).contains(ca(node)));
            try (EtcdValues values = node.values()) {
                assertEquals(Map.of(), values.readAll(ALL));
            }
        }
    }

    @Test
    void aRotationOfTwoCasAgoIsNoDeadEnd() throws IOException {
        try (RotationLab lab = new RotationLab(folder, 1)) {
            RotationLab.Node node = lab.node(1);
            node.end = EtcdProcess::close;
            Map<String, String> noted = rotate(node);
            restore(node, Map.of());
            node.rotate(Duration.ZERO);
            CertificateInfo third = ca(node);
            restore(node, noted);

            node.rotate(Duration.ZERO);

            assertNotEquals(third, ca(node));
        }
    }
}
