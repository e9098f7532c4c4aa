package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.check.WalText;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.MemberRecord;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.SilentReporter;
import io.kjadm.core.standalone.CaOfGeneration;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.AutoDecider;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.Memory;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.Decision;
import io.kjadm.etcd.auto.EntryBody;
import io.kjadm.etcd.auto.EntryBody.Added;
import io.kjadm.etcd.auto.EntryBody.Change;
import io.kjadm.etcd.auto.EntryBody.Done;
import io.kjadm.etcd.auto.EntryBody.Observed;
import io.kjadm.etcd.auto.EntryBody.Ready;
import io.kjadm.etcd.auto.EntryBody.Restore;
import io.kjadm.etcd.auto.EntryBody.Resume;
import io.kjadm.etcd.auto.EntryBody.Source;
import io.kjadm.etcd.auto.Seat;
import io.kjadm.etcd.auto.Step;
import io.kjadm.etcd.auto.WaitCode;
import io.kjadm.manifests.StandaloneEtcd.Directories;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** An operator approves a restore, a machine stops its member, and the operator takes it back. */
class RestoreTakenBackTest {

    private static final Path DATA = Path.of("/var/lib/etcd");
    private static final Path UNIT = EtcdHostPaths.standard().unit();
    private final LogLab lab = new LogLab();
    private final MemoryFiles files = new MemoryFiles()
            .with("/proc/self/mountinfo", "24 1 254:16 / / rw - xfs /dev/vdb rw\n");
    private final AutoLog log = lab.machine(files);
    private final AutoMemory memory = AutoMemory.of(files, LogLab.STATE);
    private final OwnDisk disk = new OwnDisk(files, LogLab.STATE.resolve("disk.json"), lab.random);
    private final MemberSettings settings = new MemberSettings(
            "etcd1",
            new EtcdVersion(3, 6, 14),
            InetAddress.ofLiteral("10.0.0.11"),
            new Directories(DATA, Path.of("/etc/etcd/pki"), Path.of("/opt/bin")),
            List.of(),
            List.of());
    private final SystemdEtcd etcd = new SystemdEtcd(
            new Machine(files, new Systemd(), null, null, lab.waiter, lab.waiter),
            EtcdHostPaths.standard());

    private final class Systemd implements CommandRunner {

        @Override
        public Output run(List<String> command, Duration limit) {
            String unit = files.exists(UNIT)
                    ? "LoadState=loaded\nActiveState=inactive"
                    : "LoadState=not-found";
            return new Output(
                    command.contains("is-active") ? 3 : 0,
                    command.contains("show") ? unit : "",
                    "");
        }

        @Override
        public boolean isInstalled(String program) {
            return true;
        }
    }

    private Decision decision() {
        SystemdView view = new SystemdView(
                memory,
                etcd,
                new EtcdClients(files, null, null, lab.waiter),
                new CaOfGeneration(lab.store, files, lab.token.ca(), LogLab.STATE),
                new SystemdView.Keeping(disk, Optional::empty, List.of("/kjadm")),
                new SystemdView.Options(
                        "etcd1",
                        settings.address(),
                        settings.directories(),
                        List.of(),
                        Optional.empty(),
                        new AutoFacts.Backup(new Step.Save("/backups", "age1"), "/identity"),
                        Path.of("/run/kjadm.lock")));
        return new AutoDecider()
                .decide(new AutoFacts(
                        view.self(log.charter()),
                        new StoreView.Answers(
                                new AutoFacts.Youth(Duration.ZERO, Duration.ofHours(1), 0),
                                Optional.of(Duration.ZERO)),
                        log.charter(),
                        Map.of(),
                        view.local(log.charter(), Optional.empty()),
                        new EtcdView.Silent("no member responds"),
                        new Memory(
                                Map.of(),
                                Optional.empty(),
                                Duration.ZERO,
                                Optional.empty(),
                                Instant.EPOCH)))
                .decision();
    }

    private Seat aVoterOfTwo() {
        log.refresh();
        log.append(LogLab.form(memory.id()), "", "");
        memory.begins(1);
        disk.begins(DATA, log.charter(), memory.id(), Instant.EPOCH);
        Seat own = log.charter().voters().getFirst();
        log.append(new Observed(List.of(own, LogLab.OTHER)), "", "");
        log.append(new Ready(1), "", "");
        isSetUp(own);
        return own;
    }

    private void isSetUp(Seat own) {
        files.with(
                DATA + "/member/wal/0000000000000000-0000000000000000.wal",
                WalText.of(
                        own.id().value(),
                        Long.parseUnsignedLong(log.charter().cluster().orElseThrow(), 16)));
        etcd.finished(new MemberRecord(settings, true, true, "t"));
        files.with("/etc/etcd/etcd.env", "").with(UNIT.toString(), "");
    }

    private void approves(EntryBody word) {
        AutoLog person = lab.person();
        person.refresh();
        person.append(word, "", "");
        log.refresh();
    }

    private void isPutBack() {
        assertTrue(
                decision() instanceof Decision.Act(Step.Unfence _, String _),
                () -> decision().toString());
    }

    private void isStoppedForARestoreThatIsTakenBack(Seat own) {
        approves(new Restore(
                1,
                Set.of(LogLab.OTHER.id()),
                Optional.of(memory.id()),
                new Source(Source.Kind.SURVIVOR, Optional.empty()),
                true,
                ""));
        new MemberFence(memory, etcd, DATA, new SilentReporter())
                .fence(new Step.Fence(1, Optional.of(own.id())));
        memory.begins(0);
        log.append(memory.fenced(1).orElseThrow(), "", "");
        approves(new Restore(
                1,
                Set.of(),
                Optional.empty(),
                new Source(Source.Kind.NONE, Optional.empty()),
                false,
                ""));
        assertEquals(Phase.OPEN, log.charter().phase());
    }

    @Test
    void theMemberIsPutBackAlsoWhenThatWasKilled() {
        isStoppedForARestoreThatIsTakenBack(aVoterOfTwo());
        isPutBack();

        // it was killed after it had put the data back, and before the rest
        memory.begins(1);
        files.rename(Path.of(memory.fenced(1).orElseThrow().data()), DATA.resolve("member"));
        isPutBack();
    }

    /** It was off until its member had been removed. */
    @Test
    void theMemberThatWasRemovedMeanwhileIsNotPutBackInPlaceOfTheNextOne() {
        Seat own = aVoterOfTwo();
        isStoppedForARestoreThatIsTakenBack(own);
        log.append(new Observed(List.of(LogLab.OTHER)), "", "");
        approves(new Resume(log.charter().members().held().orElseThrow()));
        Seat next = new Seat(
                new MemberId(0x5ea7), own.name(), own.machine(), own.peerUrls(), own.clientUrls());
        Added added = new Added(memory.id(), own.name(), own.peerUrls());
        log.append(Change.add(1, added, log.charter().voterIds()), "", "");
        memory.begins(1);
        log.append(new Done(log.charter().tail().slot(), List.of(LogLab.OTHER, next)), "", "");
        isSetUp(next);
        assertTrue(
                decision() instanceof Decision.Wait(WaitCode code, String _, String _)
                        && code == WaitCode.STOPPED,
                () -> decision().toString());

        files.deleteTree(DATA.resolve("member"));
        assertTrue(
                decision() instanceof Decision.Wait(WaitCode code, String _, String _)
                        && code == WaitCode.LOST,
                () -> decision().toString());
    }
}
