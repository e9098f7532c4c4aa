package io.kjadm.core.config;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.value.HostAndPort;
import io.kjadm.core.value.KubernetesVersion;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Configuration as text: the documents of {@code config print} and the ConfigMaps' contents. */
public final class ConfigurationYaml {

    private static final String PLACEHOLDER_TOKEN = "abcdef.0123456789abcdef";
    /** The kinds of component configuration that go with a cluster. */
    private static final List<String> COMPONENTS = List.of(Document.KUBE_PROXY, Document.KUBELET);

    private ConfigurationYaml() {}

    public static String init(InitConfiguration init) {
        return YamlText.write(ConfigurationTrees.init(init));
    }

    /** ClusterConfiguration; as such the content of the ConfigMap {@code kubeadm-config}. */
    public static String cluster(ClusterConfiguration cluster) {
        return YamlText.write(ConfigurationTrees.cluster(cluster));
    }

    public static String join(JoinConfiguration join) {
        return YamlText.write(ConfigurationTrees.join(join));
    }

    public static String reset(ResetConfiguration reset) {
        return YamlText.write(ConfigurationTrees.reset(reset));
    }

    public static String upgrade(UpgradeConfiguration upgrade) {
        return YamlText.write(ConfigurationTrees.upgrade(upgrade));
    }

    /** The kubelet's document; as such the content of the ConfigMap {@code kubelet-config}. */
    public static String kubelet(KubeletConfig kubelet) {
        return YamlText.write(kubelet.tree());
    }

    /** kube-proxy's document, with the newline that the ConfigMap {@code kube-proxy} lacks. */
    public static String kubeProxy(KubeProxyConfig proxy) {
        return YamlText.write(proxy.tree());
    }

    /**
     * The documents of {@code config print init-defaults}.
     *
     * @param components kinds of component configuration to add, in this order
     * @throws UsageException if one of them is no such kind
     */
    public static String printInitDefaults(List<String> components) {
        requireKnown(components);
        InitConfiguration init = new InitConfiguration(
                List.of(BootstrapToken.defaults().withToken(PLACEHOLDER_TOKEN)),
                NodeRegistration.defaults().withName("node").withCriSocket(CriSockets.DEFAULT),
                new ApiEndpoint("1.2.3.4", ApiEndpoint.DEFAULT_PORT),
                Optional.empty(),
                RunSettings.DEFAULTS);
        KubernetesVersion own = KubernetesVersion.CURRENT;
        ClusterConfiguration cluster = ClusterConfiguration.defaults()
                .withKubernetesVersion("%d.%d.0".formatted(own.major(), own.minor()), false);
        List<String> documents = new ArrayList<>(List.of(init(init), cluster(cluster)));
        for (String kind : components) {
            documents.add(component(kind, cluster, init.localApiEndpoint().advertiseAddress()));
        }
        return YamlText.join(documents);
    }

    private static void requireKnown(List<String> components) {
        for (String kind : components) {
            if (!COMPONENTS.contains(kind)) {
                throw new UsageException(
                        "unknown component configuration \"%s\"".formatted(kind),
                        "known ones are " + String.join(", ", COMPONENTS),
                        "");
            }
        }
    }

    /** The document of {@code config print join-defaults}, for a node of that name. */
    public static String printJoinDefaults(String nodeName) {
        return join(new JoinConfiguration(
                NodeRegistration.defaults().withName(nodeName).withCriSocket(CriSockets.DEFAULT),
                JoinConfiguration.DEFAULT_CA_CERT_PATH,
                new TokenDiscovery(
                        PLACEHOLDER_TOKEN,
                        new HostAndPort("kube-apiserver", ApiEndpoint.DEFAULT_PORT),
                        List.of(),
                        true,
                        Optional.of(PLACEHOLDER_TOKEN)),
                Optional.empty(),
                RunSettings.DEFAULTS));
    }

    /** The document of {@code config print reset-defaults}. */
    public static String printResetDefaults() {
        return reset(ResetConfiguration.defaults());
    }

    /** The document of {@code config print upgrade-defaults}. */
    public static String printUpgradeDefaults() {
        return upgrade(UpgradeConfiguration.defaults());
    }

    private static String component(String kind, ClusterConfiguration cluster, String address) {
        ComponentDefaults defaults = new ComponentDefaults(warning -> {});
        return kind.equals(Document.KUBELET)
                ? kubelet(defaults.kubelet(Map.of(), false, cluster))
                : kubeProxy(defaults.kubeProxy(Map.of(), false, cluster, address));
    }
}
