package io.kjadm.core.init;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.config.LoadedInit;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.core.phase.Selection;
import io.kjadm.core.pki.CertificateReason;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The phases of {@code init} end by the same command after a power cut at any change of a file. */
@Tag("power-cut")
class InitResumeTest {

    private static final Selection PHASES = Selection.allBut(List.of("preflight"));
    private static final LoadedInit CONFIG = InitLab.load("""
            apiVersion: kubeadm.k8s.io/v1beta4
            kind: InitConfiguration
            localAPIEndpoint: {advertiseAddress: 192.0.2.10}
            nodeRegistration: {name: cp-1, criSocket: "unix:///run/c.sock"}
            bootstrapTokens: [{token: abcdef.0123456789abcdef}]
            ---
            apiVersion: kubeadm.k8s.io/v1beta4
            kind: ClusterConfiguration
            kubernetesVersion: v1.36.2
            encryptionAlgorithm: ECDSA-P256
            """);

    private static void init(InitLab lab, HostFiles on) {
        lab.workflow(on).run(lab.start(CONFIG, true), PHASES, lab.out);
    }

    private static boolean cut(InitLab lab, PowerCut.Socket socket) {
        try {
            init(lab, socket.plug(HostFiles.class, lab.files));
        } catch (PowerCut e) {
            assertTrue(e.at(socket));
        }
        return socket.wasCut();
    }

    /** A key whose certificate was not written is removed, as the refusal asks for. */
    private static void again(InitLab lab) {
        try {
            init(lab, lab.files);
        } catch (PhaseFailure e) {
            HostException refused = assertInstanceOf(HostException.class, e.getCause());
            assertEquals(Optional.of(CertificateReason.KEY_WITHOUT_CERTIFICATE), refused.reason());
            Named.files(refused.what()).forEach(key -> lab.files.delete(Path.of(key)));
            init(lab, lab.files);
        }
    }

    /** A pair that does not fit, or a kubeconfig of another CA, is refused by the run that finds it. */
    @Test
    void whereverThePowerGoesTheSameCommandEnds() {
        InitLab undisturbed = new InitLab().withNode();
        init(undisturbed, undisturbed.files);
        int steps = 0;
        List<String> failures = new ArrayList<>();
        for (PowerCut.Socket socket : PowerCut.moments()) {
            InitLab lab = new InitLab().withNode();
            if (!cut(lab, socket)) {
                break;
            }
            steps = socket.step();
            try {
                again(lab);
                assertEquals(undisturbed.contents().keySet(), lab.contents().keySet());
                Map<Path, String> first = lab.contents();
                init(lab, lab.files);
                assertEquals(first, lab.contents());
            } catch (RuntimeException | AssertionError e) {
                failures.add("%s: %s".formatted(socket, e));
            }
        }
        assertTrue(steps + PowerCut.STRIDE > 30, "only %d steps".formatted(steps));
        assertEquals(List.of(), failures);
    }
}
