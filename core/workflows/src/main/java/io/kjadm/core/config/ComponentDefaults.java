package io.kjadm.core.config;

import io.kjadm.core.value.GoDuration;
import io.kjadm.core.value.IpAddresses;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Completes the configuration of the kubelet and of kube-proxy. What somebody wrote stays, with a
 * warning where it departs from what the rest of the cluster is made for.
 */
record ComponentDefaults(Consumer<String> warnings) {

    /** Either family's binds the addresses of both, where there are both. */
    private static final Set<String> WILDCARDS = Set.of("0.0.0.0", "::");

    private static final String KUBE_PROXY_KUBECONFIG = "/var/lib/kube-proxy/kubeconfig.conf";

    /** The kubelet's configuration for a cluster; {@code given} has checked fields only. */
    KubeletConfig kubelet(
            Map<String, Object> given, boolean userSupplied, ClusterConfiguration cluster) {
        Map<String, Object> tree = YamlTrees.thaw(plain(given));
        Recommendations kubelet = new Recommendations(Document.KUBELET, tree);
        kubelet.field("/etc/kubernetes/manifests", "staticPodPath");
        kubelet.field(List.of(dnsAddress(cluster)), "clusterDNS");
        kubelet.field(cluster.networking().dnsDomain(), "clusterDomain");
        kubelet.field(
                cluster.certificatesDir().resolve("ca.crt").toString(),
                "authentication",
                "x509",
                "clientCAFile");
        kubelet.field(false, "authentication", "anonymous", "enabled");
        kubelet.field(true, "authentication", "webhook", "enabled");
        kubelet.field("Webhook", "authorization", "mode");
        kubelet.field("127.0.0.1", "healthzBindAddress");
        kubelet.field(10248, "healthzPort");
        kubelet.warnUnless(0, "readOnlyPort");
        kubelet.unlessSet("systemd", "cgroupDriver");
        if (Boolean.FALSE.equals(tree.put("rotateCertificates", true))) {
            warnings.accept("KubeletConfiguration rotateCertificates: false is overridden, "
                    + "client certificates of kubelets are rotated");
        }
        return new KubeletConfig(GoZeroValues.kubelet(tree), userSupplied);
    }

    /**
     * The configuration of kube-proxy for a cluster.
     *
     * @param advertiseAddress decides the family; empty if unknown, and then nothing is said
     *         about the address to bind
     */
    KubeProxyConfig kubeProxy(
            Map<String, Object> given,
            boolean userSupplied,
            ClusterConfiguration cluster,
            String advertiseAddress) {
        Map<String, Object> tree = YamlTrees.thaw(plain(given));
        Recommendations proxy = new Recommendations(Document.KUBE_PROXY, tree);
        String bindAddress =
                advertiseAddress.isEmpty() || advertiseAddress.contains(":") ? "::" : "0.0.0.0";
        proxy.unlessSet(bindAddress, "bindAddress");
        if (!advertiseAddress.isEmpty()
                && !WILDCARDS.contains(String.valueOf(tree.get("bindAddress")))) {
            proxy.warnUnless(bindAddress, "bindAddress");
        }
        proxy.unlessSet("iptables", "mode");
        if ("ipvs".equals(tree.get("mode"))) {
            warnings.accept(
                    "KubeProxyConfiguration mode: ipvs is deprecated since Kubernetes v1.35 and will be removed; use iptables or nftables");
        }
        cluster.networking().podSubnet().ifPresent(subnet -> proxy.field(subnet, "clusterCIDR"));
        proxy.field(KUBE_PROXY_KUBECONFIG, "clientConnection", "kubeconfig");
        return new KubeProxyConfig(GoZeroValues.kubeProxy(tree), userSupplied);
    }

    private static String dnsAddress(ClusterConfiguration cluster) {
        try {
            return IpAddresses.text(cluster.networking().dnsAddress());
        } catch (IllegalArgumentException e) {
            return "10.96.0.10";
        }
    }

    /** Durations as canonical text; everything else is plain already. */
    private static Map<String, Object> plain(Map<String, Object> tree) {
        Map<String, Object> plain = new LinkedHashMap<>();
        tree.forEach((key, value) -> plain.put(key, plainValue(value)));
        return plain;
    }

    private static Object plainValue(Object value) {
        return switch (value) {
            case Duration duration -> GoDuration.text(duration);
            case Map<?, ?> map -> plain(YamlTrees.map(map));
            case List<?> list -> {
                List<Object> items = new ArrayList<>();
                list.forEach(item -> items.add(plainValue(item)));
                yield items;
            }
            case null, default -> value;
        };
    }

    /** Fields of one document that should have a certain value. */
    private final class Recommendations {

        private final String kind;
        private final Map<String, Object> tree;

        Recommendations(String kind, Map<String, Object> tree) {
            this.kind = kind;
            this.tree = tree;
        }

        /** Sets the field, or warns if it already has another value. */
        void field(Object value, String... path) {
            unlessSet(value, path);
            warnUnless(value, path);
        }

        /** An empty text is what an unset one looks like. */
        void unlessSet(Object value, String... path) {
            if (YamlTrees.at(tree, path).filter(given -> !given.equals("")).isEmpty()) {
                YamlTrees.put(tree, value, path);
            }
        }

        void warnUnless(Object value, String... path) {
            Optional<Object> given = YamlTrees.at(tree, path).filter(other -> !other.equals(value));
            given.ifPresent(other ->
                    warnings.accept("%s %s: the recommended value is %s, the given one is %s"
                            .formatted(
                                    kind,
                                    String.join(".", path),
                                    FieldErrors.shown(value),
                                    FieldErrors.shown(other))));
        }
    }
}
