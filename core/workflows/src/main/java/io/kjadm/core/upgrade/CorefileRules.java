package io.kjadm.core.upgrade;

import static io.kjadm.core.upgrade.UpgradeRule.COREDNS_MIGRATION;
import static io.kjadm.core.upgrade.UpgradeRule.COREDNS_UNSUPPORTED_PLUGINS;
import static io.kjadm.etcd.Severity.SKIPPABLE;
import static io.kjadm.etcd.Severity.WARNING;

import io.kjadm.manifests.Corefile;
import io.kjadm.manifests.ImageVersion;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Whether the Corefile that somebody wrote fits the CoreDNS to come. One that is kubeadm's default
 * is replaced by the next default. Others need a change between those of Kubernetes 1.35 to 1.37
 * only where CoreDNS 1.14.4 refuses what it ignored before.
 */
public final class CorefileRules {

    private static final String KEPT = "until then the running CoreDNS is kept, with its Corefile";

    private CorefileRules() {}

    /**
     * What stands in the way; nothing in clusters without CoreDNS.
     *
     * @param own the Corefile, if somebody changed it
     * @param installed the release that runs; empty if there is none, or one's own build
     * @param wanted the release that is to be installed; empty if it is one's own build
     */
    public static List<UpgradeFinding> findings(
            Optional<Corefile> own,
            Optional<ImageVersion> installed,
            Optional<ImageVersion> wanted) {
        if (own.isEmpty() || wanted.isPresent() && wanted.equals(installed)) {
            return List.of();
        }
        if (installed.isEmpty() || wanted.isEmpty()) {
            return List.of(new UpgradeFinding(
                    COREDNS_MIGRATION,
                    WARNING,
                    "it is not known whether the new CoreDNS supports the Corefile",
                    "its current or its new image tag is not a release",
                    "compare the two releases' notes"));
        }
        if (installed.get().compareTo(wanted.get()) > 0) {
            return List.of(new UpgradeFinding(
                    COREDNS_MIGRATION,
                    SKIPPABLE,
                    "CoreDNS %s runs in the cluster".formatted(installed.get()),
                    "%s, which would replace it, is older and may not support its Corefile"
                            .formatted(wanted.get()),
                    "set dns.imageTag to the running release"));
        }
        return judged(own.get(), installed.get(), wanted.get());
    }

    private static List<UpgradeFinding> judged(
            Corefile corefile, ImageVersion installed, ImageVersion wanted) {
        List<UpgradeFinding> findings = new ArrayList<>();
        List<Corefile.Removal> removed = corefile.removedBetween(installed, wanted);
        for (Corefile.Removal removal : removed) {
            findings.add(new UpgradeFinding(
                    COREDNS_MIGRATION,
                    SKIPPABLE,
                    "the Corefile uses %s".formatted(removal.name()),
                    "CoreDNS refuses it since " + removal.since(),
                    "%s in ConfigMap coredns; %s".formatted(removal.advice(), KEPT)));
        }
        List<String> unfollowed = corefile.unfollowed().stream()
                .filter(what ->
                        removed.stream().noneMatch(removal -> removal.name().equals(what)))
                .toList();
        if (!unfollowed.isEmpty()) {
            findings.add(new UpgradeFinding(
                    COREDNS_UNSUPPORTED_PLUGINS,
                    SKIPPABLE,
                    "the Corefile uses what is not tracked across releases: "
                            + String.join(", ", unfollowed),
                    "it is not known whether CoreDNS %s supports it as %s does"
                            .formatted(wanted, installed),
                    "see the notes of the releases between, then give --ignore-preflight-errors="
                            + COREDNS_UNSUPPORTED_PLUGINS.checkName()));
        }
        return List.copyOf(findings);
    }
}
