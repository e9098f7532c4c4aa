package io.kjadm.core.join;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.config.JoinConfiguration;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.core.phase.Selection;
import io.kjadm.core.phase.VirtualWaiter;

import org.junit.jupiter.api.Test;

import java.lang.reflect.Proxy;
import java.nio.file.Path;

/** What is noted of a join that has begun, and for whom. */
class UnfinishedJoinTest {

    private static final Path NOTE = Path.of("/var/lib/kubelet/kjadm-join.json");

    private final JoinLab lab = new JoinLab();

    private JoinRun begun() {
        JoinRun run = lab.discovered();
        run.begin();
        return run;
    }

    @Test
    void nothingIsNotedBeforeAnythingBegins() {
        assertFalse(lab.discovered().resumed());
        assertFalse(lab.files.exists(NOTE));
        assertTrue(JoinLab.unfinished(lab.files).learned().isEmpty());
    }

    @Test
    void theSameJoinGoesOnAndTheNoteStaysAsItWas() {
        JoinRun run = begun();
        String note = lab.files.text(NOTE.toString());
        JoinRun again = lab.start();
        assertTrue(again.resumed());
        assertEquals(run.cluster().texts(), again.unfinished().learned().orElseThrow());
        lab.files.with(NOTE.toString(), note + " ");
        run.begin();
        assertEquals(note + " ", lab.files.text(NOTE.toString()), "it is written once");
    }

    @Test
    void anotherJoinOnTheSameMachineIsRefusedNamingWhatChanged() {
        begun();
        JoinConfiguration config = lab.config(true);
        JoinConfiguration renamed =
                config.withNodeRegistration(config.nodeRegistration().withName("cp-3"));
        UsageException refusal = assertThrows(UsageException.class, () -> lab.start(renamed));
        assertEquals("this machine is in the middle of another join", refusal.what());
        assertEquals("nodeRegistration.name was cp-2, is cp-3", refusal.why());
        assertThrows(UsageException.class, () -> lab.start(lab.config(false)));
    }

    @Test
    void aJoinOfAnotherClusterIsRefused() {
        JoinRun run = begun();
        String note = lab.files.text(NOTE.toString());
        lab.files.with(NOTE.toString(), note.replace(lab.pin(), "sha256:0000"));
        UsageException refusal = assertThrows(UsageException.class, run::begin);
        assertEquals("the CA of that one is sha256:0000, of this one " + lab.pin(), refusal.why());
    }

    @Test
    void whatIsNotedHoldsNoSecret() {
        begun();
        String note = lab.files.text(NOTE.toString());
        assertFalse(note.contains(JoinLab.TOKEN));
        assertFalse(note.contains(lab.cluster.certificateKey().orElseThrow().toString()));
        assertHasLine("\"nodeRegistration.name\" : \"cp-2\",", note);
    }

    @Test
    void aNoteThatCannotBeReadIsNobodysJoin() {
        lab.files.with(NOTE.toString(), "{");
        assertFalse(lab.start().resumed());
    }

    @Test
    void anEndedJoinIsForgotten() {
        begun().unfinished().end();
        assertFalse(lab.files.exists(NOTE));
        assertFalse(lab.start().resumed());
    }

    @Test
    void aSinglePhaseNotesNothingAndRemembersNothing() {
        begun();
        lab.files.delete(NOTE);
        JoinRun phase = lab.discovered();
        JoinRun untracked = new JoinRun(
                phase.config(),
                phase.options(),
                phase.startedAt(),
                phase.discovered(),
                UnfinishedJoin.untracked(lab.files),
                false);
        untracked.begin();
        assertFalse(lab.files.exists(NOTE));
        assertTrue(untracked.unfinished().learned().isEmpty());
        untracked.unfinished().end();
    }

    /** A file system call that is made by an interrupted thread closes its channel. */
    @Test
    void whoStopsTheWaitForTheKubeletIsToldSoAndNoTokenStays() {
        lab.phases(lab.start(lab.config(false)), "kubelet-start");
        Path token = Path.of("/etc/kubernetes/bootstrap-kubelet.conf");
        assertTrue(lab.files.exists(token));
        HostFiles disk = (HostFiles) Proxy.newProxyInstance(
                HostFiles.class.getClassLoader(),
                new Class<?>[] {HostFiles.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("delete")
                            && Thread.currentThread().isInterrupted()) {
                        throw new IllegalStateException("ClosedByInterruptException");
                    }
                    return method.invoke(lab.files, arguments);
                });
        VirtualWaiter stopped = new VirtualWaiter(lab.waiter.now()).eachTime(() -> {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted while waiting", "asked to stop", "");
        });
        PhaseFailure failure = assertThrows(
                PhaseFailure.class,
                () -> lab.workflow(
                                disk,
                                lab.runner,
                                lab.runtime,
                                access -> lab.api,
                                access -> lab.etcd,
                                stopped)
                        .run(
                                lab.start(lab.config(false)),
                                Selection.only("kubelet-wait-bootstrap"),
                                lab.out));
        assertTrue(Thread.interrupted(), "whoever asked it to stop is heard");
        assertInstanceOf(ClusterException.class, failure.getCause());
        assertFalse(lab.files.exists(token));
    }
}
