package io.kjadm.e2e.cluster;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writes ConfigMaps through the balancer in front of the API servers, as a client does that keeps
 * its connection and does not try again.
 */
final class ApiTarget implements WriteTarget {
    private static final String NAMESPACE = "default";
    private static final int LIMIT_MILLIS = 5000;

    private final KubernetesClient client;

    /**
     * @param kubeconfig of an administrator
     * @param balancer {@code host:port}
     */
    ApiTarget(String kubeconfig, String balancer) {
        var config = Config.fromKubeconfig(kubeconfig);
        config.setMasterUrl("https://" + balancer + "/");
        config.setConnectionTimeout(LIMIT_MILLIS);
        config.setRequestTimeout(LIMIT_MILLIS);
        config.setRequestRetryBackoffLimit(0);
        client = new KubernetesClientBuilder().withConfig(config).build();
    }

    @Override
    public void put(String key, String value) {
        client.configMaps()
                .inNamespace(NAMESPACE)
                .resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName(name(key))
                        .withNamespace(NAMESPACE)
                        .endMetadata()
                        .addToData("value", value)
                        .build())
                .create();
    }

    @Override
    public boolean has(String key) {
        return client.configMaps().inNamespace(NAMESPACE).withName(name(key)).get() != null;
    }

    @Override
    public Set<String> keys(String prefix) {
        return client.configMaps().inNamespace(NAMESPACE).list().getItems().stream()
                .map(map -> map.getMetadata().getName())
                .filter(name -> name.startsWith(name(prefix)))
                .map(name -> "/" + name.replace('.', '/'))
                .collect(Collectors.toSet());
    }

    /** {@code /a/b/1} becomes {@code a.b.1}. */
    private static String name(String key) {
        return key.substring(1).replace('/', '.');
    }

    @Override
    public void reconnect() {
        // the client does by itself
    }

    @Override
    public void close() {
        client.close();
    }
}
