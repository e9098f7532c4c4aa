package io.kjadm.core.join;

import static io.kjadm.core.join.JoinLab.MANIFESTS;
import static io.kjadm.core.join.JoinLab.NOTE;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.phase.PhaseFailure;

import java.util.List;

/** The phase that brings this node's member into a stacked etcd, and what its tests ask of it. */
public abstract class EtcdJoinScene {

    public JoinLab lab = new JoinLab();

    JoinRun prepared() {
        return lab.phases(lab.start(), "control-plane-prepare");
    }

    ClusterException refused() {
        JoinRun run = prepared();
        PhaseFailure failure = assertThrows(PhaseFailure.class, () -> lab.phases(run, "etcd-join"));
        return assertInstanceOf(ClusterException.class, failure.getCause());
    }

    void assertVoter() {
        assertTrue(lab.own().orElseThrow().voter());
        assertFalse(lab.files.exists(NOTE), "a join that is done needs no note");
        assertTrue(lab.etcd.writable());
    }

    void assertTakenBack() {
        assertTrue(lab.own().isEmpty(), lab.etcd.members().toString());
        assertFalse(lab.files.exists(MANIFESTS.resolve("etcd.yaml")));
        assertFalse(lab.files.exists(NOTE));
        assertTrue(lab.etcd.writable());
    }

    private static String verb(String change) {
        return change.substring(0, change.indexOf(' '));
    }

    List<String> verbs() {
        return lab.etcd.changes().stream().map(EtcdJoinScene::verb).toList();
    }
}
