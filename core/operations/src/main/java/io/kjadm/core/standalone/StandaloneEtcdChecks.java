package io.kjadm.core.standalone;

import io.kjadm.core.check.Check;
import io.kjadm.core.check.Finding;
import io.kjadm.core.host.Services;
import io.kjadm.core.net.NetworkFacts;
import io.kjadm.core.preflight.machine.FileChecks;
import io.kjadm.core.preflight.machine.MachineChecks;
import io.kjadm.core.preflight.machine.PreflightHost;
import io.kjadm.etcd.EtcdPorts;
import io.kjadm.manifests.AddressText;
import io.kjadm.manifests.EtcdPod;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The checks of a machine that becomes a member of an etcd of its own. */
final class StandaloneEtcdChecks {

    private StandaloneEtcdChecks() {}

    /**
     * What is asked.
     *
     * @param address that etcd is to listen on
     * @param written  files that the run will write
     * @param existing whether its data are there
     */
    public record Member(InetAddress address, Path dataDir, List<Path> written, boolean existing) {

        public Member {
            written = List.copyOf(written);
        }
    }

    /**
     * The checks.
     *
     * @param network of this machine
     * @param resumes whether an earlier run began the same: then its leftovers are no finding
     * @param disk    about the disk of the data directory
     */
    public static List<Check> of(
            PreflightHost host,
            Member member,
            Supplier<NetworkFacts> network,
            boolean resumes,
            Check disk) {
        List<Check> checks = new ArrayList<>();
        checks.add(systemd(host.services()));
        checks.add(address(member.address(), network));
        checks.add(FileChecks.available(host.paths().manifest(EtcdPod.NAME), host.files()));
        checks.add(disk);
        checks.add(MachineChecks.firewalld(
                host.services(), List.of(EtcdPorts.CLIENT, EtcdPorts.PEER)));
        if (!resumes) {
            Stream.of(EtcdPorts.CLIENT, EtcdPorts.PEER, EtcdPorts.METRICS)
                    .forEach(port ->
                            checks.add(MachineChecks.port(port, host.network().ports())));
            member.written().forEach(file -> checks.add(FileChecks.available(file, host.files())));
            checks.add(
                    member.existing()
                            ? ExistingMember.check(member.dataDir(), host.files())
                            : dataDir(member.dataDir(), host));
        }
        return checks;
    }

    private static Check systemd(Services services) {
        return Check.required(
                "Systemd",
                () -> Finding.errorIf(
                        !services.isSystemd(),
                        "systemctl not found in system path: etcd is run by systemd here"));
    }

    private static Check address(InetAddress address, Supplier<NetworkFacts> network) {
        return Check.of("BindAddress", () -> {
            boolean here = network.get().interfaces().stream()
                    .anyMatch(candidate -> candidate.addresses().contains(address));
            return Finding.errorIf(
                    !here,
                    "no interface of this machine has the address %s; choose one with --bind-address"
                            .formatted(AddressText.of(address)));
        });
    }

    /** Data is never written over, so nobody may ignore this. */
    private static Check dataDir(Path path, PreflightHost host) {
        Check look = FileChecks.etcdDataDir(path, host.files());
        return Check.required(look.name(), look.question());
    }
}
