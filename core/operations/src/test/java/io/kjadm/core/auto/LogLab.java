package io.kjadm.core.auto;

import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.ClusterSpec;
import io.kjadm.etcd.auto.EntryBody.Form;
import io.kjadm.etcd.auto.EntryBody.Pause;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.MachineReport.Doing;
import io.kjadm.etcd.auto.MachineReport.Floor;
import io.kjadm.etcd.auto.MachineReport.Known;
import io.kjadm.etcd.auto.MachineReport.Life;
import io.kjadm.etcd.auto.MachineReport.OfEtcd;
import io.kjadm.etcd.auto.MachineReport.Readiness;
import io.kjadm.etcd.auto.Seat;
import io.kjadm.etcd.auto.UnitState;
import io.kjadm.store.MemoryStore;
import io.kjadm.store.StoreUrl;

import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/** A store in memory that was seeded, and machines that use it. */
final class LogLab {

    /** A voter of no machine. */
    static final Seat OTHER = new Seat(
            new MemberId(0x99),
            "etcd9",
            Optional.empty(),
            List.of(URI.create("https://10.0.0.19:2380")),
            List.of());

    static final Path STATE = Path.of("/var/lib/kjadm/etcd-auto");
    static final Path TOKEN = Path.of("/etc/kjadm/etcd-auto.token");

    final VirtualWaiter waiter = new VirtualWaiter();
    final MemoryStore memory = new MemoryStore();
    final FlakyStore store = new FlakyStore(memory);
    final MemoryFiles files = new MemoryFiles();
    final SplittableRandom random = new SplittableRandom(1);
    final ClusterFile cluster;
    final AutoToken token;

    LogLab() {
        memory.clock = waiter::now;
        cluster = new ClusterSeed(store, files, waiter, random).seed(wanted(), TOKEN);
        token = AutoToken.read(files, TOKEN);
    }

    static ClusterSeed.Wanted wanted() {
        return new ClusterSeed.Wanted(
                "etcd", ClusterSpec.of(new EtcdVersion(3, 6, 14), 3), "s3://memory/");
    }

    /** A machine that has just started; each has a directory of its own. */
    /** What remains is the directory that the folder was mounted on, which takes writes. */
    Map<String, byte[]> unmount() {
        memory.location = StoreUrl.parse("/mnt/etcd-store");
        Map<String, byte[]> folder = new HashMap<>(memory.objects);
        memory.objects.clear();
        return folder;
    }

    void mount(Map<String, byte[]> folder) {
        memory.objects.clear();
        memory.objects.putAll(folder);
    }

    AutoLog machine(HostFiles machineFiles) {
        AutoMemory remembered = AutoMemory.of(machineFiles, STATE);
        remembered.start(random);
        return AutoLog.open(store, token, remembered, waiter, random);
    }

    /** A machine that has founded the cluster. */
    MemoryFiles founder() {
        MemoryFiles founder = new MemoryFiles();
        AutoLog log = machine(founder);
        log.refresh();
        log.append(form(id(founder)), "", "");
        return founder;
    }

    AutoLog person() {
        return AutoLog.open(store, token, AutoMemory.none(), waiter, random);
    }

    static MachineId id(HostFiles machineFiles) {
        return AutoMemory.of(machineFiles, STATE).id();
    }

    /** Also one that may be written while nothing else is there. */
    static Pause pause(String reason) {
        return new Pause(Optional.empty(), reason);
    }

    static Form form(MachineId founder) {
        Seat seat = new Seat(
                new MemberId(0x16a1),
                "etcd1-" + founder.digits(),
                Optional.of(founder),
                List.of(URI.create("https://10.0.0.11:2380")),
                List.of(URI.create("https://10.0.0.11:2379")));
        return new Form(1, "kjadm-51be", founder, seat, "a655067d30f39934");
    }

    static MachineReport report(MachineId id, long run, long beat, Known known) {
        return new MachineReport(
                id,
                new Life(run, beat, "kjadm test"),
                known,
                new OfEtcd("etcd1", "10.0.0.11", UnitState.ABSENT, Optional.empty(), 0, Floor.NONE),
                new Readiness(List.of()),
                new Doing(Optional.empty(), Optional.empty(), ""));
    }

    byte[] object(long slot) {
        return memory.objects.get(AutoObjects.entry(slot));
    }
}
