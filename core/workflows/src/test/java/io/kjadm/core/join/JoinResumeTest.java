package io.kjadm.core.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.config.JoinConfiguration;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.phase.Selection;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinState;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** A join goes on by the same command after a power cut at any step. */
@Tag("power-cut")
class JoinResumeTest {

    private static final Selection WHOLE = Selection.allBut(List.of("preflight"));

    /** With a kubelet that takes the credentials it was given for its own. */
    private static JoinLab lab() {
        return lab("");
    }

    private static JoinLab lab(String more) {
        JoinLab lab = new JoinLab(more);
        lab.waiter.eachTime(() -> lab.files
                .read(Path.of("/etc/kubernetes/bootstrap-kubelet.conf"))
                .ifPresent(text -> lab.files.with("/etc/kubernetes/kubelet.conf", text)));
        return lab;
    }

    /** Runs the join on a machine whose power goes at a step; whether it did. */
    private static boolean cut(JoinLab lab, JoinConfiguration config, PowerCut.Socket socket) {
        HostFiles files = socket.plug(HostFiles.class, lab.files);
        EtcdCluster etcd = socket.plug(EtcdCluster.class, lab.etcd);
        try {
            lab.workflow(
                            files,
                            lab.runner,
                            lab.runtime,
                            access -> lab.api,
                            access -> etcd,
                            lab.waiter)
                    .run(lab.start(config, files), WHOLE, lab.out);
        } catch (PowerCut e) {
            assertTrue(e.at(socket));
        }
        return socket.wasCut();
    }

    private static void whole(JoinLab lab, JoinConfiguration config) {
        lab.workflow().run(lab.start(config), WHOLE, lab.out);
        JoinLab.unfinished(lab.files).end();
    }

    /** Nobody serves the API while etcd has no quorum. */
    private static void apiServerOfTheCluster(JoinLab lab) {
        Runnable serves = () -> {
            if (lab.etcd.writable()) {
                lab.api.up();
            } else {
                lab.api.down(Kind.UNREACHABLE);
            }
        };
        serves.run();
        lab.waiter.eachTime(serves);
    }

    private static void resumesWhereverThePowerGoes(boolean controlPlane) {
        resumesWhereverThePowerGoes(controlPlane, JoinResumeTest::lab);
    }

    private static void resumesWhereverThePowerGoes(boolean controlPlane, Supplier<JoinLab> labs) {
        JoinLab undisturbed = labs.get();
        whole(undisturbed, undisturbed.config(controlPlane));
        int steps = 0;
        List<String> failures = new ArrayList<>();
        for (PowerCut.Socket socket : PowerCut.moments()) {
            JoinLab lab = labs.get();
            JoinConfiguration config = lab.config(controlPlane);
            if (!cut(lab, config, socket)) {
                break;
            }
            steps = socket.step();
            apiServerOfTheCluster(lab);
            try {
                whole(lab, config);
                assertEquals(undisturbed.contents().keySet(), lab.contents().keySet());
                assertEquals(
                        controlPlane ? 2 : 1,
                        lab.etcd.members().stream().filter(Member::voter).count());
                assertEquals(controlPlane ? 2 : 1, lab.etcd.members().size());
            } catch (RuntimeException | AssertionError e) {
                failures.add("%s: %s".formatted(socket, e));
            }
        }
        assertTrue(
                steps + PowerCut.STRIDE > (controlPlane ? 40 : 5),
                "only %d steps".formatted(steps));
        assertEquals(List.of(), failures);
    }

    @Test
    void aControlPlaneNodeGoesOnAfterAPowerCutAtAnyStep() {
        resumesWhereverThePowerGoes(true);
    }

    /** The second voter takes the quorum away until it runs, and the API servers with it. */
    @Test
    void withTheGateOffItGoesOnThoughNoApiServerAnswers() {
        resumesWhereverThePowerGoes(true, () -> lab("featureGates: {EtcdLearnerMode: false}\n"));
    }

    @Test
    void withTheGateOffAnAddThatWasAppliedWithoutAnybodyNotingItIsGoneOnWith() {
        JoinLab lab = lab("featureGates: {EtcdLearnerMode: false}\n");
        JoinConfiguration config = lab.config(true);
        int step = 0;
        JoinState noted = null;
        while (noted != JoinState.ADDING) {
            step++;
            lab = lab("featureGates: {EtcdLearnerMode: false}\n");
            assertTrue(cut(lab, config = lab.config(true), new PowerCut.Socket(step)));
            noted = lab.journal().read().map(JoinEntry::state).orElse(null);
        }
        lab.etcd.addVoter(JoinLab.PEER);
        assertFalse(lab.etcd.writable());
        apiServerOfTheCluster(lab);
        whole(lab, config);
        assertTrue(lab.etcd.writable());
        assertEquals(2, lab.etcd.members().stream().filter(Member::voter).count());
    }

    @Test
    void aWorkerGoesOnAfterAPowerCutAtAnyStep() {
        resumesWhereverThePowerGoes(false);
    }
}
