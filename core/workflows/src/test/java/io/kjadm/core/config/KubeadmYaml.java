package io.kjadm.core.config;

/** Documents of a configuration file. */
final class KubeadmYaml {

    private KubeadmYaml() {}

    static String head(String version, String kind) {
        return "apiVersion: kubeadm.k8s.io/%s\nkind: %s\n".formatted(version, kind);
    }

    static String init(String body) {
        return head("v1beta4", "InitConfiguration") + body + "\n";
    }

    static String cluster(String body) {
        return head("v1beta4", "ClusterConfiguration") + body + "\n";
    }

    static String join(String body) {
        return head("v1beta4", "JoinConfiguration") + body + "\n";
    }

    static String reset(String body) {
        return head("v1beta4", "ResetConfiguration") + body + "\n";
    }
}
