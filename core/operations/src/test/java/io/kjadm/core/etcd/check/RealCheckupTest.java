package io.kjadm.core.etcd.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.etcd.check.JoinCheckup.JoiningNode;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.SystemWaiter;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.check.Candidate;
import io.kjadm.etcd.check.EtcdFinding;
import io.kjadm.etcd.check.EtcdFinding.Level;
import io.kjadm.etcd.check.JoinChecklist;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.RejoinOptions;
import io.kjadm.pki.PrivateKeyPem;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The whole check of a join against a real cluster of three, newest etcd at hand. */
class RealCheckupTest {

    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration REFUSAL_LIMIT = Duration.ofSeconds(10);

    @TempDir
    Path folder;

    private List<EtcdFinding> look(RealEtcd etcd, Path dataDir) {
        PeerCredentials own = etcd.credentials();
        EtcdAccess access = new EtcdAccess(
                etcd.clients(),
                own.caPem(),
                own.certificatePem(),
                PrivateKeyPem.toPkcs8(own.keyPem()));
        Candidate candidate = new Candidate(
                new NewMember("cp-9", URI.create("https://127.0.0.1:2380")),
                Optional.of(version()),
                true,
                RejoinOptions.NONE);
        JoinCheckup checkup = new JoinCheckup(
                JoinProbes.real(false),
                new DiskFiles(),
                new SystemWaiter(InstantSource.system(), new RecordingReporter()));
        return JoinChecklist.findings(checkup.gather(
                access, candidate, new JoiningNode(folder, RealEtcd.LOCAL, dataDir)));
    }

    private static Path binary() {
        try {
            return RealEtcd.binaries().getLast();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static EtcdVersion version() {
        return EtcdVersion.parse(binary().getParent().getFileName().toString());
    }

    private static List<String> errors(List<EtcdFinding> findings) {
        return findings.stream()
                .filter(finding -> finding.level() == Level.ERROR)
                // what little room this machine has is no matter here
                .filter(finding -> !finding.rule().checkName().equals("EtcdDisk"))
                .map(finding -> finding.rule().checkName() + ": " + finding.text())
                .toList();
    }

    private List<String> errorsOnceItRuns(RealEtcd etcd) throws InterruptedException {
        Instant end = Instant.now().plus(START_LIMIT);
        List<String> errors;
        do {
            Thread.sleep(200);
            try {
                errors = errors(look(etcd, folder.resolve("new")));
            } catch (EtcdCallException e) {
                errors = List.of(e.getMessage());
            }
        } while (!errors.isEmpty() && Instant.now().isBefore(end));
        return errors;
    }

    private void signal(Process process, String name) throws Exception {
        assertEquals(
                0,
                new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                        .start()
                        .waitFor());
    }

    private List<String> errorsInTime(RealEtcd etcd, Path dataDir) {
        Instant start = Instant.now();
        List<String> errors = errors(look(etcd, dataDir));
        Duration took = Duration.between(start, Instant.now());
        assertTrue(took.compareTo(REFUSAL_LIMIT) < 0, took + " for " + errors);
        return errors;
    }

    @Test
    void aGoodClusterPassesAndEveryFaultIsFoundInTime() throws Exception {
        try (RealEtcd etcd = new RealEtcd(folder).start(binary(), "cp-1", "cp-2", "cp-3")) {
            assertEquals(List.of(), errorsOnceItRuns(etcd));

            // data of a running member, as a cloned disk has it, and of a cluster of its own
            some(
                    errorsInTime(etcd, folder.resolve("cp-1")),
                    "EtcdDataDir",
                    "two machines must never run one member");

            // it takes connections and says nothing
            signal(etcd.process("cp-3"), "STOP");
            List<String> silent = errorsInTime(etcd, folder.resolve("new"));
            some(silent, "EtcdVoters", "cp-3", "no answer within 5 s", "--allow-degraded");
            assertEquals(1, silent.size(), silent::toString);
            signal(etcd.process("cp-3"), "CONT");
            assertEquals(List.of(), errorsOnceItRuns(etcd));

            etcd.process("cp-2").destroyForcibly().waitFor();
            etcd.process("cp-3").destroyForcibly().waitFor();
            some(
                    errorsInTime(etcd, folder.resolve("new")),
                    "EtcdVoters",
                    "no quorum",
                    "cp-2",
                    "cp-3");
        }
    }

    private static void some(List<String> errors, String check, String words, String... more) {
        assertTrue(
                errors.stream()
                        .anyMatch(text -> text.startsWith(check)
                                && text.contains(words)
                                && Stream.of(more).allMatch(text::contains)),
                errors::toString);
    }
}
