package io.kjadm.core.config;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.ExternalEtcdFile;
import io.kjadm.core.feature.FeatureGates;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.KubernetesPaths;

import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Turns flags into the documents they stand for, so that flags and files go through the same
 * checks. Messages about such a document name the flag.
 */
record FlagDocuments(CommandFlags flags) {

    private static final String SOURCE = "the command line";
    private static final String TOKEN_DESCRIPTION = "default bootstrap token made by kjadm init";

    Document init() {
        Builder document = new Builder(Document.INIT);
        document.text(Flag.APISERVER_ADVERTISE_ADDRESS, "localAPIEndpoint.advertiseAddress");
        document.number(Flag.APISERVER_BIND_PORT, "localAPIEndpoint.bindPort");
        document.text(Flag.CERTIFICATE_KEY, "certificateKey");
        document.text(Flag.CRI_SOCKET, "nodeRegistration.criSocket");
        document.text(Flag.PATCHES, "patches.directory");
        Map<String, Object> token = new LinkedHashMap<>();
        token.put("description", TOKEN_DESCRIPTION);
        flags.text(Flag.TOKEN)
                .filter(text -> !text.isEmpty())
                .ifPresent(text -> token.put("token", text));
        flags.text(Flag.TOKEN_TTL).ifPresent(text -> token.put("ttl", text));
        document.put("bootstrapTokens", List.of(token));
        document.name("bootstrapTokens.0.token", Flag.TOKEN);
        document.name("bootstrapTokens.0.ttl", Flag.TOKEN_TTL);
        return document.build();
    }

    Document cluster() {
        Builder document = new Builder(Document.CLUSTER);
        document.texts(Flag.APISERVER_CERT_EXTRA_SANS, "apiServer.certSANs");
        document.text(Flag.CERT_DIR, "certificatesDir");
        document.text(Flag.CONTROL_PLANE_ENDPOINT, "controlPlaneEndpoint");
        document.text(Flag.IMAGE_REPOSITORY, "imageRepository");
        document.text(Flag.KUBERNETES_VERSION, "kubernetesVersion");
        document.text(Flag.POD_NETWORK_CIDR, "networking.podSubnet");
        document.text(Flag.SERVICE_CIDR, "networking.serviceSubnet");
        document.text(Flag.SERVICE_DNS_DOMAIN, "networking.dnsDomain");
        flags.path(Flag.EXTERNAL_ETCD).ifPresent(file -> externalEtcd(document, file));
        extraArgs(document, Flag.APISERVER_EXTRA_ARGS, "apiServer");
        extraArgs(document, Flag.CONTROLLER_MANAGER_EXTRA_ARGS, "controllerManager");
        extraArgs(document, Flag.SCHEDULER_EXTRA_ARGS, "scheduler");
        flags.text(Flag.FEATURE_GATES)
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
        document.text(Flag.CRI_SOCKET, "nodeRegistration.criSocket");
        document.text(Flag.PATCHES, "patches.directory");
        discovery(document, endpoint, adminConf);
        if (flags.bool(Flag.CONTROL_PLANE).orElse(false)) {
            document.put("controlPlane", new LinkedHashMap<>());
            document.text(
                    Flag.APISERVER_ADVERTISE_ADDRESS,
                    "controlPlane.localAPIEndpoint.advertiseAddress");
            document.number(Flag.APISERVER_BIND_PORT, "controlPlane.localAPIEndpoint.bindPort");
            document.text(Flag.CERTIFICATE_KEY, "controlPlane.certificateKey");
        } else {
            warnAboutUnused(warnings);
        }
        return document.build();
    }

    Document reset() {
        Builder document = new Builder(Document.RESET);
        document.text(Flag.CERT_DIR, "certificatesDir");
        document.text(Flag.CRI_SOCKET, "criSocket");
        return document.build();
    }

    private void discovery(
            Builder document, Optional<String> endpoint, Optional<String> adminConf) {
        if (adminConf.isPresent()) {
            document.put("discovery.file.kubeConfigPath", adminConf.get());
        } else {
            document.text(Flag.DISCOVERY_FILE, "discovery.file.kubeConfigPath");
            endpoint.ifPresent(address -> tokenDiscovery(document, address));
        }
        document.either("discovery.tlsBootstrapToken", Flag.TLS_BOOTSTRAP_TOKEN, Flag.TOKEN);
    }

    private void tokenDiscovery(Builder document, String endpoint) {
        document.put("discovery.bootstrapToken.apiServerEndpoint", endpoint);
        document.either("discovery.bootstrapToken.token", Flag.DISCOVERY_TOKEN, Flag.TOKEN);
        document.texts(Flag.DISCOVERY_TOKEN_CA_CERT_HASH, "discovery.bootstrapToken.caCertHashes");
        document.name("discovery.bootstrapToken.caCertHashes", Flag.DISCOVERY_TOKEN_CA_CERT_HASH);
        flags.bool(Flag.DISCOVERY_TOKEN_UNSAFE_SKIP_CA_VERIFICATION)
                .ifPresent(unsafe ->
                        document.put("discovery.bootstrapToken.unsafeSkipCAVerification", unsafe));
    }

    private void warnAboutUnused(Consumer<String> warnings) {
        List.of(Flag.APISERVER_ADVERTISE_ADDRESS, Flag.APISERVER_BIND_PORT, Flag.CERTIFICATE_KEY)
                .stream()
                .filter(flags::isSet)
                .forEach(flag -> warnings.accept(
                        "--%s has no effect without --control-plane".formatted(flag)));
    }

    private void externalEtcd(Builder document, Path file) {
        Path certificates = flags.path(Flag.CERT_DIR).orElse(KubernetesPaths.CERTIFICATES_DIR);
        document.put(
                "etcd.external.endpoints",
                ExternalEtcdFile.read(new DiskFiles(), file).endpoints().stream()
                        .map(URI::toString)
                        .toList());
        document.put(
                "etcd.external.caFile", ExternalEtcdFile.caFile(certificates).toString());
        document.put(
                "etcd.external.certFile",
                ExternalEtcdFile.certFile(certificates).toString());
        document.put(
                "etcd.external.keyFile", ExternalEtcdFile.keyFile(certificates).toString());
    }

    private void extraArgs(Builder document, Flag flag, String component) {
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

        void text(Flag flag, String path) {
            flags.text(flag).filter(text -> !text.isEmpty()).ifPresent(text -> put(path, text));
            name(path, flag);
        }

        void texts(Flag flag, String path) {
            if (!flags.list(flag).isEmpty()) {
                put(path, flags.list(flag));
            }
            name(path, flag);
        }

        void number(Flag flag, String path) {
            flags.text(flag).ifPresent(text -> put(path, whole(text)));
            name(path, flag);
        }

        /** The first of two flags that is given. */
        void either(String path, Flag first, Flag second) {
            Flag flag =
                    flags.text(first).filter(text -> !text.isEmpty()).isPresent() ? first : second;
            text(flag, path);
        }

        void put(String path, Object value) {
            YamlTrees.put(tree, value, path.split("\\."));
        }

        void name(String path, Flag flag) {
            names.put(path, flag.toString());
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
