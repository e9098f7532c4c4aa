package io.kjadm.core.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.host.CommandRunner.Output;
import io.kjadm.core.phase.RecordingReporter;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;

class ServicesTest {

    @Test
    void systemdReloadsItsUnitsBeforeARestart() {
        ScriptedRunner runner = new ScriptedRunner()
                .with("systemctl")
                .answering("systemctl daemon-reload", "")
                .answering("systemctl restart kubelet", "");
        assertEquals(Optional.empty(), Services.of(runner).restart("kubelet"));
        assertEquals(
                List.of("systemctl daemon-reload", "systemctl restart kubelet"), runner.commands());
    }

    @Test
    void failureIsAWarningWithTheProgramsWords() {
        ScriptedRunner runner = new ScriptedRunner()
                .with("systemctl")
                .answering(
                        "systemctl stop kubelet",
                        new Output(5, "", "Unit kubelet.service not loaded.\n"));
        String warning = Services.of(runner).stop("kubelet").orElseThrow();
        assertEquals(
                "cannot stop kubelet: \"systemctl stop kubelet\" ended with status 5: Unit kubelet.service not loaded.",
                warning);
        assertTrue(Services.of(runner).start("kubelet").isPresent());
    }

    @Test
    void systemdAnswersQuestions() {
        Services services = Services.of(new ScriptedRunner()
                .with("systemctl")
                .answering("systemctl show --property=LoadState kubelet", "LoadState=loaded\n")
                .answering("systemctl show --property=LoadState firewalld", "LoadState=not-found\n")
                .answering("systemctl is-active kubelet", new Output(3, "activating\n", ""))
                .answering("systemctl is-enabled kubelet", new Output(1, "disabled\n", "")));
        assertTrue(services.exists("kubelet"));
        assertFalse(services.exists("firewalld"));
        assertFalse(services.exists("unanswered"));
        assertTrue(services.isActive("kubelet"));
        assertFalse(services.isActive("firewalld"));
        assertFalse(services.isEnabled("kubelet"));
        assertEquals("systemctl enable kubelet.service", services.enableCommand("kubelet"));
    }

    @Test
    void openRcAnswersQuestions() {
        Services services = Services.of(new ScriptedRunner()
                .with("rc-service")
                .answering("rc-service --exists kubelet", "")
                .answering("rc-service kubelet status", new Output(3, " * status: stopped\n", ""))
                .answering("rc-update show default", " crond | default\n kubelet | default\n"));
        assertTrue(services.exists("kubelet"));
        assertFalse(services.isActive("kubelet"));
        assertTrue(services.isEnabled("kubelet"));
        assertFalse(services.isEnabled("cron"));
    }

    @Test
    void withoutAnInitSystemThereAreOnlyWarnings() {
        Services services = Services.of(new ScriptedRunner());
        assertFalse(services.available());
        assertTrue(services.restart("kubelet").isPresent());
        assertFalse(services.exists("kubelet"));
    }

    @Test
    void dryRunAsksButDoesNotChange() {
        ScriptedRunner real = new ScriptedRunner()
                .with("systemctl")
                .answering("systemctl is-active kubelet", "active\n");
        RecordingReporter out = new RecordingReporter();
        Services services = Services.of(new ReportingRunner(real, out));
        assertTrue(services.isActive("kubelet"));
        assertEquals(Optional.empty(), services.stop("kubelet"));
        assertEquals(List.of("systemctl is-active kubelet"), real.commands());
        assertEquals(List.of("[dryrun] Would run \"systemctl stop kubelet\""), out.lines());
    }
}
