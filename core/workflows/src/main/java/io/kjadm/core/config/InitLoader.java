package io.kjadm.core.config;

import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.value.Cidr;

import java.net.Inet6Address;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Puts together what {@code init} is configured with, from documents let in by the gate. */
record InitLoader(DynamicDefaults dynamic, Consumer<String> warnings) {

    private static final String SKIP_ALL_ADDONS = "addon";
    private static final String SKIP_DNS = "addon/coredns";
    private static final String SKIP_PROXY = "addon/kube-proxy";

    /**
     * Loads it.
     *
     * @param file with both kinds of document; component configurations may be missing
     */
    LoadedInit load(ConfigurationFile file, CommandFlags flags) {
        FieldErrors errors = FieldErrors.none();
        Document initDocument = file.document(Document.INIT).orElseThrow();
        Document clusterDocument = file.document(Document.CLUSTER).orElseThrow();
        InitConfiguration init =
                detected(override(read(initDocument, clusterDocument, errors), flags));
        ClusterConfiguration cluster = new ClusterReader(clusterDocument, errors, warnings)
                .read(init.localApiEndpoint().bindPort());
        cluster = dynamic.version(cluster, !init.dryRun());
        CommonReader.checkName(init.nodeRegistration(), errors.of(initDocument));
        errors.throwIfAny(file.name());
        cluster.featureGates().warnings().forEach(warnings);
        warnOfFamilies(cluster.networking(), init.localApiEndpoint());
        // what is only read or converted stays what its author wrote
        if (dynamic.options().deploys()) {
            Set<String> skipped = Set.copyOf(init.skipPhases());
            cluster = withoutSkippedAddons(cluster, skipped);
            init = init.withSettings(init.settings()
                    .withSkipPhases(withDisabledAddons(init.skipPhases(), skipped, cluster)));
        }
        ComponentDefaults components = new ComponentDefaults(warnings);
        Optional<Document> kubelet = file.document(Document.KUBELET);
        Optional<Document> kubeProxy = file.document(Document.KUBE_PROXY);
        return new LoadedInit(
                init,
                cluster,
                components.kubelet(tree(kubelet), kubelet.isPresent(), cluster),
                components.kubeProxy(
                        tree(kubeProxy),
                        kubeProxy.isPresent(),
                        cluster,
                        init.localApiEndpoint().advertiseAddress()));
    }

    /** The API server ends at once where its own address and the Services are of two families. */
    private void warnOfFamilies(Networking networking, ApiEndpoint endpoint) {
        if (endpoint.advertiseAddress().isEmpty()) {
            return;
        }
        boolean ipv6 = endpoint.address() instanceof Inet6Address;
        Cidr first = networking.serviceCidrs().getFirst();
        if (first.isIpv6() != ipv6) {
            warnings.accept(
                    "localAPIEndpoint.advertiseAddress %s is an %s address, and the first network of networking.serviceSubnet \"%s\" is %s; the API server does not start with two families"
                            .formatted(
                                    endpoint.advertiseAddress(),
                                    family(ipv6),
                                    networking.serviceSubnet(),
                                    family(first.isIpv6())));
        }
    }

    private static String family(boolean ipv6) {
        return ipv6 ? "IPv6" : "IPv4";
    }

    private InitConfiguration read(Document document, Document cluster, FieldErrors errors) {
        TreeView view = TreeView.of(document, errors);
        return new InitConfiguration(
                BootstrapTokenReader.tokens(view),
                CommonReader.nodeRegistration(view.object("nodeRegistration"), warnings),
                CommonReader.endpoint(view.object("localAPIEndpoint")),
                CommonReader.certificateKey(view),
                RunSettings.read(
                        view,
                        V1Beta3.timeouts(cluster, CommonReader.timeouts(view.object("timeouts")))));
    }

    private static InitConfiguration override(InitConfiguration init, CommandFlags flags) {
        return init.withNodeRegistration(init.nodeRegistration().overriddenBy(flags))
                .withSettings(init.settings().overriddenBy(flags));
    }

    private InitConfiguration detected(InitConfiguration init) {
        List<BootstrapToken> tokens = init.bootstrapTokens().stream()
                .map(BootstrapToken::withTextIfMissing)
                .toList();
        return init.withBootstrapTokens(tokens)
                .withNodeRegistration(dynamic.nodeRegistration(init.nodeRegistration(), true))
                .withLocalApiEndpoint(dynamic.endpoint(init.localApiEndpoint()));
    }

    /** Who skips an addon's phase has no such addon, and the cluster is to remember that. */
    private static ClusterConfiguration withoutSkippedAddons(
            ClusterConfiguration cluster, Set<String> skipped) {
        boolean both = skipped.contains(SKIP_ALL_ADDONS);
        boolean dnsOff = both || skipped.contains(SKIP_DNS) || cluster.dns().disabled();
        boolean proxyOff = both || skipped.contains(SKIP_PROXY) || cluster.proxyDisabled();
        return cluster.withAddons(cluster.dns().withDisabled(dnsOff), proxyOff);
    }

    private static List<String> withDisabledAddons(
            List<String> phases, Set<String> skipped, ClusterConfiguration cluster) {
        List<String> all = new ArrayList<>(phases);
        boolean both = skipped.contains(SKIP_ALL_ADDONS);
        if (cluster.dns().disabled() && !both && !skipped.contains(SKIP_DNS)) {
            all.add(SKIP_DNS);
        }
        if (cluster.proxyDisabled() && !both && !skipped.contains(SKIP_PROXY)) {
            all.add(SKIP_PROXY);
        }
        return all;
    }

    private static Map<String, Object> tree(Optional<Document> document) {
        return document.map(Document::tree).orElse(Map.of());
    }
}
