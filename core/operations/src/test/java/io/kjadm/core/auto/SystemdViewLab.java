package io.kjadm.core.auto;

import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.standalone.CaOfGeneration;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.Copy;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.Local;
import io.kjadm.etcd.auto.AutoFacts.Memory;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.Step;
import io.kjadm.etcd.auto.UnitState;
import io.kjadm.manifests.StandaloneEtcd.Directories;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A machine of the automatic mode, whose etcd is a service of systemd. */
abstract class SystemdViewLab {

    static final Path DATA = Path.of("/var/lib/etcd");
    static final Path DROP_IN = EtcdHostPaths.standard().startCheckDropIn();

    final LogLab lab = new LogLab();
    final MemoryFiles files = new MemoryFiles()
            .with("/proc/self/mountinfo", "24 1 254:1 / / rw shared:1 - ext4 /dev/vda1 rw\n");
    final AutoLog log = lab.machine(files);
    final AutoMemory memory = AutoMemory.of(files, LogLab.STATE);
    final List<String> commands = new ArrayList<>();
    final SystemdEtcd etcd = new SystemdEtcd(
            new Machine(files, new Systemd(), null, null, lab.waiter, lab.waiter),
            EtcdHostPaths.standard());
    String unit = "LoadState=not-found";
    String journal = "";
    Optional<Copy> copy = Optional.empty();
    Optional<Path> archive = Optional.empty();

    /** Shows the unit as it is. */
    final class Systemd implements CommandRunner {

        @Override
        public Output run(List<String> command, Duration limit) {
            if (command.getFirst().equals("journalctl")) {
                return new Output(0, journal, "");
            }
            commands.add(command.get(1));
            return new Output(0, command.get(1).equals("show") ? unit : "", "");
        }

        @Override
        public boolean isInstalled(String program) {
            return program.equals("systemctl");
        }
    }

    SystemdView view() {
        return new SystemdView(
                memory,
                etcd,
                new EtcdClients(files, null, null, lab.waiter),
                new CaOfGeneration(lab.store, files, lab.token.ca(), LogLab.STATE),
                new SystemdView.Keeping(
                        new OwnDisk(files, LogLab.STATE.resolve("disk.json"), lab.random),
                        () -> copy,
                        List.of("/opt/kjadm/bin/kjadm", "etcd", "auto", "check")),
                new SystemdView.Options(
                        "etcd1",
                        InetAddress.getLoopbackAddress(),
                        new Directories(DATA, Path.of("/etc/etcd/pki"), Path.of("/opt/bin")),
                        List.of(),
                        archive,
                        new AutoFacts.Backup(new Step.Save("/backups", "age1"), "/backup.identity"),
                        Path.of("/run/kjadm.lock")));
    }

    Local local() {
        return view().local(log.charter(), Optional.empty());
    }

    UnitState unit(String... properties) {
        unit = String.join("\n", properties);
        return local().unit();
    }

    void seen(Local local) {
        seen(local, new EtcdView.Silent(""));
    }

    void seen(Local local, EtcdView etcdView) {
        SystemdView view = view();
        view.seen(new AutoFacts(
                view.self(log.charter()),
                new StoreView.Silent(""),
                log.charter(),
                Map.of(),
                local,
                etcdView,
                new Memory(
                        Map.of(),
                        Optional.empty(),
                        Duration.ZERO,
                        Optional.empty(),
                        Instant.EPOCH)));
    }
}
