package io.kjadm.core.upgrade;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.KjadmException;
import io.kjadm.core.phase.PhaseFailure;

import java.nio.file.Path;

/** A node that goes from v1.36.2 to v1.37.0, and what an upgrade leaves of it. */
abstract class UpgradeScene {

    final UpgradingNode node = new UpgradingNode();

    void assertUpgraded(UpgradingNode one) {
        assertEquals("v1.37.0", one.tag("kube-apiserver"));
        assertEquals(one.manifests().size(), one.runningTags().size(), "something does not run");
        assertHasLine("- --initial-cluster-state=existing", one.manifest("etcd"));
        assertFalse(one.lab.init.files.exists(Path.of(UpgradingNode.JOURNAL)));
        assertTrue(one.etcd.writable());
    }

    static KjadmException failureOf(UpgradingNode one) {
        return assertInstanceOf(
                KjadmException.class,
                assertThrows(PhaseFailure.class, one::apply).getCause());
    }
}
