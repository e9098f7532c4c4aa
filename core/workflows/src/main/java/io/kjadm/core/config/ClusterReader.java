package io.kjadm.core.config;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.feature.FeatureGates;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.value.GoDuration;
import io.kjadm.core.value.HostAndPort;
import io.kjadm.manifests.HostVolume;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads ClusterConfiguration; the version it yields is as given, not resolved yet. */
final class ClusterReader {

    private final Document document;
    private final TreeView view;
    private final Consumer<String> warnings;

    ClusterReader(Document document, FieldErrors errors, Consumer<String> warnings) {
        this.document = document;
        this.view = TreeView.of(document, errors);
        this.warnings = warnings;
    }

    /**
     * Reads all of it.
     *
     * @param bindPort the port of this node's API server, for an endpoint without a port
     */
    ClusterConfiguration read(int bindPort) {
        ControlPlaneComponent controllerManager = component(view.object("controllerManager"));
        Dns dns = dns(view.object("dns"));
        String repository =
                view.textOr("imageRepository", ClusterConfiguration.DEFAULT_IMAGE_REPOSITORY);
        checkRepository(view, Optional.of(repository));
        Duration validity = view.duration("certificateValidityPeriod")
                .orElse(ClusterConfiguration.DEFAULT_CERTIFICATE_VALIDITY);
        Duration caValidity = view.duration("caCertificateValidityPeriod")
                .orElse(ClusterConfiguration.DEFAULT_CA_CERTIFICATE_VALIDITY);
        warnAboutValidity(validity, caValidity);
        return new ClusterConfiguration(
                view.textOr("kubernetesVersion", ClusterConfiguration.DEFAULT_VERSION_LABEL),
                false,
                view.textOr("clusterName", ClusterConfiguration.DEFAULT_CLUSTER_NAME),
                endpoint(bindPort),
                view.absolutePath("certificatesDir").orElse(KubernetesPaths.CERTIFICATES_DIR),
                repository,
                algorithm(),
                validity,
                caValidity,
                gates(),
                new NetworkingReader(view.object("networking"), warnings).read(controllerManager),
                apiServer(view.object("apiServer")),
                controllerManager,
                component(view.object("scheduler")),
                dns,
                view.object("proxy").flag("disabled", false),
                EtcdReader.read(view.object("etcd")));
    }

    /** Records names that a certificate cannot have. */
    static List<String> certSans(TreeView view, String field, List<String> names) {
        names.stream()
                .filter(name ->
                        !Names.isSubdomain(name) && !Names.isWildcard(name) && !Names.isIp(name))
                .forEach(name -> view.invalid(
                        field,
                        name,
                        "must be an IP address, a lower-case "
                                + "DNS name or a wildcard with one leading *."));
        return names;
    }

    static void checkRepository(TreeView view, Optional<String> repository) {
        repository
                .filter(text -> !Names.isRepository(text))
                .ifPresent(text -> view.invalid(
                        "imageRepository",
                        text,
                        "must be an image repository: host and "
                                + "lower-case path, without scheme, tag or trailing slash"));
    }

    private Optional<HostAndPort> endpoint(int bindPort) {
        Optional<HostAndPort> endpoint =
                view.text("controlPlaneEndpoint").map(text -> hostWithPort(text, bindPort));
        endpoint.filter(given -> !given.isAddress())
                .ifPresent(given -> warnings.accept(
                        "kjadm cannot ask the API server at controlPlaneEndpoint %s, nor join a node there: %s"
                                .formatted(given, HostAndPort.NO_ADDRESS)));
        endpoint.filter(given -> given.port() != bindPort)
                .ifPresent(given -> warnings.accept(
                        "the port of controlPlaneEndpoint, %d, is used instead of this node's bind port, %d"
                                .formatted(given.port(), bindPort)));
        return endpoint;
    }

    /**
     * {@code host[:port]} with its port. A bare IPv6 address is possible; one in brackets needs a
     * port.
     *
     * @throws UsageException if host or port are not usable
     */
    private HostAndPort hostWithPort(String text, int defaultPort) {
        if (Names.isIp(text) || Names.isSubdomain(text)) {
            return new HostAndPort(text, defaultPort);
        }
        Optional<HostAndPort> whole = HostAndPort.parse(text);
        String host = whole.map(HostAndPort::host).orElse("");
        if (Names.isIp(host) || Names.isSubdomain(host)) {
            return whole.orElseThrow();
        }
        throw new UsageException(
                "%s in %s: invalid value \"%s\""
                        .formatted(document.label("controlPlaneEndpoint"), document.source(), text),
                "this is not host:port, the host being an IP address or a lower-case DNS name and "
                        + "the port a number between 1 and 65535",
                "give it without a scheme, for example api.example.test:6443");
    }

    private EncryptionAlgorithm algorithm() {
        String text = view.textOr("encryptionAlgorithm", EncryptionAlgorithm.RSA_2048.text());
        Optional<EncryptionAlgorithm> algorithm = EncryptionAlgorithm.of(text);
        if (algorithm.isEmpty()) {
            view.invalid(
                    "encryptionAlgorithm",
                    text,
                    EncryptionAlgorithm.whyNot(text).map(why -> why + "; ").orElse("")
                            + "must be one of "
                            + String.join(
                                    ", ",
                                    Arrays.stream(EncryptionAlgorithm.values())
                                            .map(EncryptionAlgorithm::text)
                                            .sorted()
                                            .toList()));
        }
        return algorithm.orElse(EncryptionAlgorithm.RSA_2048);
    }

    private FeatureGates gates() {
        Map<String, Boolean> chosen = new LinkedHashMap<>();
        view.object("featureGates").tree().forEach((name, on) -> chosen.put(name, (Boolean) on));
        FeatureGates gates = new FeatureGates(chosen);
        gates.unknown()
                .forEach(name -> view.invalid("featureGates", chosen, FeatureGates.whyNot(name)));
        return gates;
    }

    private Dns dns(TreeView dns) {
        Optional<String> repository = dns.text("imageRepository");
        checkRepository(dns, repository);
        return new Dns(repository, dns.text("imageTag"), dns.flag("disabled", false));
    }

    private static ApiServer apiServer(TreeView server) {
        List<String> names = server.texts("certSANs").stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .toList();
        return new ApiServer(component(server), certSans(server, "certSANs", names));
    }

    private static ControlPlaneComponent component(TreeView component) {
        List<HostVolume> volumes = component.objects("extraVolumes").stream()
                .map(volume -> new HostVolume(
                        volume.textOr("name", ""),
                        volume.textOr("hostPath", ""),
                        volume.textOr("mountPath", ""),
                        volume.flag("readOnly", false),
                        volume.textOr("pathType", "")))
                .toList();
        return new ControlPlaneComponent(
                CommonReader.args(component, "extraArgs"), volumes, CommonReader.envs(component));
    }

    private void warnAboutValidity(Duration leaf, Duration ca) {
        warnIfLonger(
                "certificateValidityPeriod",
                leaf,
                ClusterConfiguration.DEFAULT_CERTIFICATE_VALIDITY);
        warnIfLonger(
                "caCertificateValidityPeriod",
                ca,
                ClusterConfiguration.DEFAULT_CA_CERTIFICATE_VALIDITY);
        if (leaf.compareTo(ca) > 0) {
            warnings.accept("certificateValidityPeriod %s exceeds caCertificateValidityPeriod %s: "
                            .formatted(GoDuration.text(leaf), GoDuration.text(ca))
                    + "certificates would outlive their CA");
        }
    }

    private void warnIfLonger(String field, Duration given, Duration recommended) {
        if (given.compareTo(recommended) > 0) {
            warnings.accept("%s %s exceeds the recommended %s"
                    .formatted(field, GoDuration.text(given), GoDuration.text(recommended)));
        }
    }
}
