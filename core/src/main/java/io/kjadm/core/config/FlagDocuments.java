package io.kjadm.core.config;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.feature.FeatureGates;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Turns flags into the documents they stand for, so that flags and files go through the same
 * checks. Messages about such a document name the flag.
 */
final class FlagDocuments {

    private static final String SOURCE = "the command line";
    private static final String TOKEN_DESCRIPTION = "default bootstrap token made by kjadm init";

    private final CommandFlags flags;

    FlagDocuments(CommandFlags flags) {
        this.flags = flags;
    }

    Document init() {
        Builder document = new Builder(Document.INIT);
        document.text("apiserver-advertise-address", "localAPIEndpoint.advertiseAddress");
        document.number("apiserver-bind-port", "localAPIEndpoint.bindPort");
        document.text("certificate-key", "certificateKey");
        document.text("cri-socket", "nodeRegistration.criSocket");
        document.text("patches", "patches.directory");
        Map<String, Object> token = new LinkedHashMap<>();
        token.put("description", TOKEN_DESCRIPTION);
        flags.text("token")
                .filter(text -> !text.isEmpty())
                .ifPresent(text -> token.put("token", text));
        flags.text("token-ttl").ifPresent(text -> token.put("ttl", text));
        document.put("bootstrapTokens", List.of(token));
        document.name("bootstrapTokens.0.token", "token");
        document.name("bootstrapTokens.0.ttl", "token-ttl");
        return document.build();
    }

    Document cluster() {
        Builder document = new Builder(Document.CLUSTER);
        document.texts("apiserver-cert-extra-sans", "apiServer.certSANs");
        document.text("cert-dir", "certificatesDir");
        document.text("control-plane-endpoint", "controlPlaneEndpoint");
        document.text("image-repository", "imageRepository");
        document.text("kubernetes-version", "kubernetesVersion");
        document.text("pod-network-cidr", "networking.podSubnet");
        document.text("service-cidr", "networking.serviceSubnet");
        document.text("service-dns-domain", "networking.dnsDomain");
        extraArgs(document, "apiserver-extra-args", "apiServer");
        extraArgs(document, "controller-manager-extra-args", "controllerManager");
        extraArgs(document, "scheduler-extra-args", "scheduler");
        flags.text("feature-gates")
                .ifPresent(text -> document.put(
                        "featureGates",
                        new LinkedHashMap<>(FeatureGates.parse(text).chosen())));
        return document.build();
    }

    /**
     * The join these flags describe.
     *
     * @param endpoint the positional argument; without it token discovery does not take place
     * @param adminConf a kubeconfig that makes discovery unnecessary
     */
    Document join(
            Optional<String> endpoint, Optional<String> adminConf, Consumer<String> warnings) {
        Builder document = new Builder(Document.JOIN);
        document.text("cri-socket", "nodeRegistration.criSocket");
        document.text("patches", "patches.directory");
        discovery(document, endpoint, adminConf);
        if (flags.bool("control-plane").orElse(false)) {
            document.put("controlPlane", new LinkedHashMap<>());
            document.text(
                    "apiserver-advertise-address",
                    "controlPlane.localAPIEndpoint.advertiseAddress");
            document.number("apiserver-bind-port", "controlPlane.localAPIEndpoint.bindPort");
            document.text("certificate-key", "controlPlane.certificateKey");
        } else {
            warnAboutUnused(warnings);
        }
        return document.build();
    }

    Document reset() {
        Builder document = new Builder(Document.RESET);
        document.text("cert-dir", "certificatesDir");
        document.text("cri-socket", "criSocket");
        return document.build();
    }

    private void discovery(
            Builder document, Optional<String> endpoint, Optional<String> adminConf) {
        if (adminConf.isPresent()) {
            document.put("discovery.file.kubeConfigPath", adminConf.get());
        } else {
            document.text("discovery-file", "discovery.file.kubeConfigPath");
            endpoint.ifPresent(address -> tokenDiscovery(document, address));
        }
        document.either("discovery.tlsBootstrapToken", "tls-bootstrap-token", "token");
    }

    private void tokenDiscovery(Builder document, String endpoint) {
        document.put("discovery.bootstrapToken.apiServerEndpoint", endpoint);
        document.either("discovery.bootstrapToken.token", "discovery-token", "token");
        document.texts("discovery-token-ca-cert-hash", "discovery.bootstrapToken.caCertHashes");
        document.name("discovery.bootstrapToken.caCertHashes", "discovery-token-ca-cert-hash");
        flags.bool("discovery-token-unsafe-skip-ca-verification")
                .ifPresent(unsafe ->
                        document.put("discovery.bootstrapToken.unsafeSkipCAVerification", unsafe));
    }

    private void warnAboutUnused(Consumer<String> warnings) {
        List.of("apiserver-advertise-address", "apiserver-bind-port", "certificate-key").stream()
                .filter(flags::isSet)
                .forEach(flag -> warnings.accept(
                        "--%s has no effect without --control-plane".formatted(flag)));
    }

    private void extraArgs(Builder document, String flag, String component) {
        List<Map<String, Object>> args = flags.pairs(flag).stream()
                .map(pair -> {
                    String[] parts = pair.split("=", -1);
                    if (parts.length != 2) {
                        throw new UsageException(
                                "--%s: \"%s\" is not name=value".formatted(flag, pair),
                                "",
                                "use extraArgs in a configuration file for values with = or commas");
                    }
                    return Map.<String, Object>of("name", parts[0], "value", parts[1]);
                })
                .toList();
        if (!args.isEmpty()) {
            document.put(component + ".extraArgs", args);
        }
    }

    /** A document in the making, which remembers the flag behind each field. */
    private final class Builder {

        private final String kind;
        private final Map<String, Object> tree = new LinkedHashMap<>();
        private final Map<String, String> names = new LinkedHashMap<>();

        Builder(String kind) {
            this.kind = kind;
        }

        void text(String flag, String path) {
            flags.text(flag).filter(text -> !text.isEmpty()).ifPresent(text -> put(path, text));
            name(path, flag);
        }

        void texts(String flag, String path) {
            if (!flags.list(flag).isEmpty()) {
                put(path, flags.list(flag));
            }
            name(path, flag);
        }

        void number(String flag, String path) {
            flags.text(flag).ifPresent(text -> put(path, whole(text)));
            name(path, flag);
        }

        /** The first of two flags that is given. */
        void either(String path, String first, String second) {
            String flag =
                    flags.text(first).filter(text -> !text.isEmpty()).isPresent() ? first : second;
            text(flag, path);
        }

        void put(String path, Object value) {
            YamlTrees.put(tree, value, path.split("\\."));
        }

        void name(String path, String flag) {
            names.put(path, flag);
        }

        Document build() {
            return Document.of(SOURCE, kind, tree, names);
        }

        /** Text that is no number goes on as text, and is refused with the rest. */
        private Object whole(String text) {
            return text.matches("-?[0-9]{1,18}") ? (Object) Long.valueOf(text) : text;
        }
    }
}
