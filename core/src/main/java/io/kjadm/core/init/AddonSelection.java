package io.kjadm.core.init;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.Dns;
import io.kjadm.core.config.Proxy;

import java.util.ArrayList;
import java.util.List;

/**
 * Addons that are skipped and addons that are disabled, brought into line: what is skipped is
 * stored as disabled, what is disabled is skipped (kubeadm reference 01 §2.1, rule 10).
 *
 * @param skipPhases all phases to skip
 * @param cluster    the configuration to store
 */
public record AddonSelection(List<String> skipPhases, ClusterConfiguration cluster) {

    private static final String ALL = "addon";
    private static final String COREDNS = "addon/coredns";
    private static final String KUBE_PROXY = "addon/kube-proxy";

    public AddonSelection {
        skipPhases = List.copyOf(skipPhases);
    }

    /** Makes the two agree. */
    public static AddonSelection of(List<String> skipPhases, ClusterConfiguration cluster) {
        boolean none = skipPhases.contains(ALL);
        Dns dns = cluster.dns()
                .withDisabled(cluster.dns().disabled() || none || skipPhases.contains(COREDNS));
        boolean proxyDisabled =
                cluster.proxy().disabled() || none || skipPhases.contains(KUBE_PROXY);
        List<String> skipped = new ArrayList<>(skipPhases);
        if (dns.disabled() && !none && !skipped.contains(COREDNS)) {
            skipped.add(COREDNS);
        }
        if (proxyDisabled && !none && !skipped.contains(KUBE_PROXY)) {
            skipped.add(KUBE_PROXY);
        }
        return new AddonSelection(skipped, cluster.withAddons(dns, new Proxy(proxyDisabled)));
    }
}
