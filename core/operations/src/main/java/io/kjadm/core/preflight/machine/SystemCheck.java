package io.kjadm.core.preflight.machine;

import io.kjadm.core.check.Check;
import io.kjadm.core.check.Finding;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.value.KubernetesVersion;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Kernel, operating system and control groups are what the kubelet needs. With an error, everything
 * that was looked at is told in detail, as the one finding is often explained by another.
 */
public final class SystemCheck {

    /** From this version on a kubelet refuses control groups of version 1. */
    private static final KubernetesVersion REFUSES_V1 = new KubernetesVersion(1, 35, 0, "0", "");

    private final PreflightHost host;
    private final InstalledKubelet installed;
    private final Reporter out;

    private SystemCheck(PreflightHost host, InstalledKubelet installed, Reporter out) {
        this.host = host;
        this.installed = installed;
        this.out = out;
    }

    public static Check of(PreflightHost host, InstalledKubelet installed, Reporter out) {
        return Check.of("SystemVerification", new SystemCheck(host, installed, out)::findings);
    }

    private List<Finding> findings() {
        KubernetesVersion kubelet = installed.version();
        Verdict verdict = new Verdict();
        Optional<Cgroups> cgroups = Cgroups.find(host.mounts(), host.files());
        kernel(verdict, cgroups.map(Cgroups::version).orElse(2));
        String system = host.info().kernelName();
        verdict.see("OS", system);
        if (!system.equals("Linux")) {
            verdict.error("unsupported operating system: " + system);
        }
        cgroups.ifPresentOrElse(
                found -> groups(verdict, found, kubelet),
                () -> verdict.error("no cgroup file system is mounted"));
        verdict.print(out);
        return verdict.findings;
    }

    private void kernel(Verdict verdict, int cgroupVersion) {
        String release = host.info().kernelRelease();
        verdict.see("KERNEL_VERSION", release);
        if (!KernelRules.isMaintained(release)) {
            verdict.warning("kernel release %s is not among those that are maintained and tested: "
                            .formatted(release)
                    + "5.4, 5.10, 5.15, 6 and later");
        }
        Optional<KernelConfig> config = KernelConfig.find(release, host.files(), host.runner());
        if (config.isEmpty()) {
            verdict.error(
                    "the options of kernel %s are found neither in /proc/config.gz nor in a file"
                            .formatted(release));
            return;
        }
        List<String> missing = new ArrayList<>();
        for (KernelRules.Option option : KernelRules.required(cgroupVersion)) {
            verdict.see(option.name(), option.isIn(config.get()) ? "enabled" : "missing");
            if (!option.isIn(config.get())) {
                missing.add(option.name());
            }
        }
        KernelRules.optional()
                .forEach(option -> verdict.see(
                        option.name(),
                        option.isIn(config.get()) ? "enabled" : "missing (optional)"));
        if (!missing.isEmpty()) {
            verdict.error("missing required kernel options: " + String.join(", ", missing));
        }
    }

    private static void groups(Verdict verdict, Cgroups cgroups, KubernetesVersion kubelet) {
        verdict.see("CGROUPS_VERSION", "v" + cgroups.version());
        cgroups.controllers().stream()
                .sorted()
                .forEach(name -> verdict.see("CGROUPS_" + name, "enabled"));
        if (cgroups.version() == 1) {
            boolean refused = kubelet.compareTo(REFUSES_V1) >= 0;
            String sentence = "this machine uses control groups of version 1, which kubelet %s %s; "
                            .formatted(
                                    kubelet,
                                    refused
                                            ? "refuses unless failCgroupV1 is false"
                                            : "supports for the last time")
                    + "version 2 is recommended";
            verdict.add(refused ? Finding.error(sentence) : Finding.warning(sentence));
        }
        if (!cgroups.missing().isEmpty()) {
            verdict.error("missing required cgroups: " + String.join(", ", cgroups.missing()));
        }
        if (!cgroups.missingOptional().isEmpty()) {
            verdict.warning(
                    "missing optional cgroups: " + String.join(", ", cgroups.missingOptional()));
        }
    }

    /** What was seen and what is wrong with it. */
    private static final class Verdict {
        private final List<String> report = new ArrayList<>();
        private final List<Finding> findings = new ArrayList<>();

        void see(String what, String value) {
            report.add(what + ": " + value);
        }

        void error(String text) {
            add(Finding.error(text));
        }

        void warning(String text) {
            add(Finding.warning(text));
        }

        void add(Finding finding) {
            findings.add(finding);
        }

        void print(Reporter out) {
            if (findings.stream().anyMatch(finding -> finding.level() == Finding.Level.ERROR)) {
                report.forEach(line -> out.detail("system verification: " + line));
            }
        }
    }
}
