package io.kjadm.core.preflight.machine;

import io.kjadm.core.check.Check;
import io.kjadm.core.check.Finding;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.HostInfo;
import io.kjadm.core.host.Services;

import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** Checks of what the machine is and runs. */
public final class MachineChecks {

    private static final int LEAST_CPUS = 2;

    /** About 2 GB; what the firmware keeps is allowed for. */
    private static final long LEAST_MIB = 1700;

    private static final String FIREWALLD = "firewalld";

    /**
     * What Kubernetes calls a qualified name: an optional DNS prefix and a name of up to 63
     * characters.
     */
    private static final Pattern QUALIFIED = Pattern.compile(
            "(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?");

    private MachineChecks() {}

    /** The first batch of every command that changes the machine. */
    public static List<Check> privileged(PreflightHost host) {
        return List.of(privilegedUser(host.info()));
    }

    /** The program must run as root. */
    public static Check privilegedUser(HostInfo host) {
        return Check.of(
                "IsPrivilegedUser",
                () -> Finding.errorIf(!host.isPrivileged(), "user is not running as root"));
    }

    /** A control plane needs two CPUs. */
    public static Check cpus(HostInfo host) {
        return Check.of("NumCPU", () -> {
            OptionalInt cpus = host.cpus();
            return cpus.isEmpty()
                    ? List.of(Finding.error("the number of available CPUs cannot be read"))
                    : Finding.errorIf(
                            cpus.getAsInt() < LEAST_CPUS,
                            "the number of available CPUs %d is less than the required %d"
                                    .formatted(cpus.getAsInt(), LEAST_CPUS));
        });
    }

    /** A control plane needs memory. */
    public static Check memory(HostInfo host) {
        return Check.of("Mem", () -> {
            OptionalLong memory = host.memoryMiB();
            return memory.isEmpty()
                    ? List.of(Finding.error("the amount of memory cannot be read"))
                    : Finding.errorIf(
                            memory.getAsLong() < LEAST_MIB,
                            "the system memory of %d MB is less than the required %d MB"
                                    .formatted(memory.getAsLong(), LEAST_MIB));
        });
    }

    /** Swap is only good with a kubelet that is configured for it. */
    public static Check swap(HostInfo host) {
        return Check.of("Swap", () -> {
            List<String> swaps = host.swaps();
            return Finding.warningIf(
                    !swaps.isEmpty(),
                    "swap is enabled on %s; turn it off, or configure the kubelet to tolerate it"
                            .formatted(swaps));
        });
    }

    /** A program that the kubelet runs is installed. */
    public static Check program(String program, CommandRunner runner) {
        return Check.of(
                "FileExisting-" + program,
                () -> Finding.errorIf(
                        !runner.isInstalled(program), program + " not found in system path"));
    }

    /** The node's name is well-formed and has an address. */
    public static Check hostname(String nodeName, NameResolver resolver) {
        return Check.of("Hostname", () -> {
            List<Finding> findings = new ArrayList<>(Finding.warningIf(
                    !QUALIFIED.matcher(nodeName).matches(),
                    "node name \"%s\" is not a qualified name".formatted(nodeName)));
            try {
                resolver.resolve(nodeName);
            } catch (UnknownHostException e) {
                findings.add(Finding.warning("hostname \"%s\" could not be reached: %s"
                        .formatted(nodeName, e.getMessage())));
            }
            return findings;
        });
    }

    /** A port that one of our servers will listen on is free, at all addresses. */
    public static Check port(int port, PortProbe probe) {
        return port("", port, probe);
    }

    /**
     * The same at one address. The name is {@code Port-N}; kubeadm 1.37 has the address in it.
     *
     * @param address of this machine; empty for all of them
     */
    public static Check port(String address, int port, PortProbe probe) {
        Check check = Check.ofLeftovers(
                "Port-" + port,
                () -> probe.refusal(address, port).stream()
                        .map(why -> Finding.error("port %d%s cannot be used: %s"
                                .formatted(port, address.isEmpty() ? "" : " of " + address, why)))
                        .toList());
        return address.isEmpty()
                ? check
                : check.alsoNamed(
                        "Port-%s:%d".formatted(address, port),
                        "Port-[%s]:%d".formatted(address, port),
                        "Port-%s-%d".formatted(address, port));
    }

    /** A service that has to come back after a reboot is enabled. */
    public static Check service(String service, Services services) {
        return Check.of("Service-" + service, () -> {
            if (!services.available()) {
                return List.of(noInitSystem(service));
            }
            if (!services.exists(service)) {
                return List.of(Finding.warning("%s service does not exist".formatted(service)));
            }
            return Finding.warningIf(
                    !services.isEnabled(service),
                    "%s service is not enabled, please run '%s'"
                            .formatted(service, services.enableCommand(service)));
        });
    }

    /** A running firewall may close the ports that other nodes use. */
    public static Check firewalld(Services services, List<Integer> ports) {
        return Check.of(
                "Firewalld",
                () -> services.available()
                        ? Finding.warningIf(
                                services.exists(FIREWALLD) && services.isActive(FIREWALLD),
                                "firewalld is active, make sure that ports %s are open"
                                        .formatted(ports))
                        : List.of(noInitSystem(FIREWALLD)));
    }

    private static Finding noInitSystem(String service) {
        return Finding.warning("no supported init system found, cannot ask for " + service);
    }
}
