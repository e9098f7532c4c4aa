package io.kjadm.core.upgrade.check;

import io.kjadm.core.upgrade.EtcdPatch;
import io.kjadm.core.upgrade.UpgradeFinding;
import io.kjadm.core.upgrade.UpgradeRule;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Severity;
import io.kjadm.etcd.check.ClusterFacts;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule;
import io.kjadm.etcd.upgrade.EtcdUpgradePath;
import io.kjadm.manifests.KubernetesReleases;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Whether the members of a stacked etcd may get the version to come, all of them. */
final class EtcdRules {

    private EtcdRules() {}

    /** @param target version of Kubernetes */
    static List<UpgradeFinding> findings(EtcdState etcd, KubernetesVersion target) {
        return switch (etcd) {
            case EtcdState.Silent(String why) ->
                List.of(new UpgradeFinding(
                        UpgradeRule.ETCD,
                        Severity.MANDATORY,
                        "no etcd member answers",
                        why,
                        "see 'kjadm etcd status', and the log of etcd (crictl logs)"));
            case EtcdState.Seen seen -> seen(seen, target);
        };
    }

    private static List<UpgradeFinding> seen(EtcdState.Seen etcd, KubernetesVersion kubernetes) {
        List<UpgradeFinding> findings = new ArrayList<>();
        ClusterFacts cluster = etcd.cluster();
        Optional<EtcdVersion> target = version(etcd.targetTag());
        if (target.isEmpty()) {
            findings.add(new UpgradeFinding(
                    UpgradeRule.ETCD_VERSION,
                    Severity.WARNING,
                    "the new version of etcd is not known",
                    "its image tag \"%s\" is not a version".formatted(etcd.targetTag()),
                    "check yourself that it may follow " + cluster.health().versionsByMember()));
        }
        target.flatMap(version -> staysBehind(version, kubernetes)).ifPresent(findings::add);
        // a version that they have lets the versions be and judges the rest
        target.or(() -> cluster.health().versions().stream().findFirst())
                .ifPresent(version -> EtcdUpgradePath.findings(new EtcdUpgradePath.Facts(
                                cluster, version, Optional.empty(), etcd.v2Content()))
                        .forEach(found -> findings.add(etcd.patch()
                                .filter(_ -> found.rule() == Rule.PATCH_FIRST)
                                .map(patch -> first(patch, cluster))
                                .orElseGet(() -> UpgradeFinding.of(found)))));
        return findings;
    }

    /** A tag that an operator has set is kept, through every upgrade. */
    private static Optional<UpgradeFinding> staysBehind(
            EtcdVersion version, KubernetesVersion kubernetes) {
        return version(KubernetesReleases.KNOWN.etcdTag(kubernetes.text()))
                .filter(usual -> usual.major() != version.major()
                        ? usual.major() > version.major()
                        : usual.minor() > version.minor())
                .map(
                        usual -> new UpgradeFinding(
                                UpgradeRule.ETCD_VERSION,
                                Severity.WARNING,
                                "etcd stays at %d.%d".formatted(version.major(), version.minor()),
                                "the cluster's configuration sets etcd.local.imageTag, and etcd %s goes with Kubernetes %s"
                                        .formatted(usual, kubernetes),
                                "to upgrade etcd too, remove the tag from ConfigMap kubeadm-config first (kubectl -n kube-system edit configmap kubeadm-config)"));
    }

    /** It does not stop the upgrade, which begins with it. */
    private static UpgradeFinding first(EtcdPatch patch, ClusterFacts cluster) {
        return new UpgradeFinding(
                Rule.PATCH_FIRST,
                Severity.WARNING,
                "etcd gets a patch release first: " + patch.summary(cluster.health()),
                "etcd %s requires %s of every member".formatted(patch.target(), patch.version()),
                "'kjadm upgrade apply' and 'kjadm upgrade node' do this on their own node; on the others run '%s'"
                        .formatted(patch.command()));
    }

    static Optional<EtcdVersion> version(String tag) {
        try {
            return Optional.of(EtcdVersion.parse(tag));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** The size of the largest database among those that answer; 0 if nobody does. */
    static long databaseBytes(EtcdState etcd) {
        return etcd instanceof EtcdState.Seen(ClusterFacts cluster, String _, var _, var _)
                ? cluster.health().statuses().values().stream()
                        .mapToLong(MemberStatus::dbSizeBytes)
                        .max()
                        .orElse(0)
                : 0;
    }
}
