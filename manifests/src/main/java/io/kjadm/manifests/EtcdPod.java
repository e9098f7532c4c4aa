package io.kjadm.manifests;

import io.fabric8.kubernetes.api.model.Pod;

import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The static pod of etcd. Flags and health paths follow the version of the image: kubeadm writes
 * those of etcd 3.6 whatever the image is, and an older etcd exits on the first flag it does not
 * know.
 *
 * <p>A pod made for a join differs from kubeadm's in one more place. A learner answers {@code
 * /readyz} with a failure until it is promoted, so the usual startup probe would kill one that
 * needs more than some minutes to catch up, and with it the snapshot it was receiving. On a join
 * the startup probe asks whether the process is alive, and gives it at least {@link
 * #JOIN_STARTUP_LIMIT}. The pod of {@code init} is kubeadm's.
 */
public final class EtcdPod {

    /** Name of the component, its program, its pod and (with {@code .yaml}) its manifest. */
    public static final String NAME = "etcd";

    /** Annotation with the member's client URL; joins find the members of the cluster by it. */
    public static final String CLIENT_URLS_ANNOTATION =
            "kubeadm.kubernetes.io/etcd.advertise-client-urls";

    /** Name of the volume that holds the data; the data directory is read back from it. */
    public static final String DATA_VOLUME = "etcd-data";

    /** The least a joining member gets to come up. */
    public static final Duration JOIN_STARTUP_LIMIT = Duration.ofMinutes(30);

    static final int CLIENT_PORT = 2379;
    static final int PEER_PORT = 2380;
    static final int METRICS_PORT = 2381;

    private EtcdPod() {}

    /**
     * What the pod is made of.
     *
     * @param version of the image; the newest flags are used where the tag names no version
     * @param existingCluster on a join, the members to be written as initial cluster, this node
     *        among them, in the order listed; empty where this node founds the cluster
     */
    public record Input(
            PodHost host,
            PodOptions options,
            Optional<ImageVersion> version,
            String nodeName,
            InetAddress advertiseAddress,
            Path dataDir,
            Optional<List<NameAndUrl>> existingCluster) {

        public Input {
            Objects.requireNonNull(host, "host");
            Objects.requireNonNull(options, "options");
            Objects.requireNonNull(version, "version");
            Objects.requireNonNull(nodeName, "nodeName");
            Objects.requireNonNull(advertiseAddress, "advertiseAddress");
            Objects.requireNonNull(dataDir, "dataDir");
            existingCluster = existingCluster.map(List::copyOf);
            if (!options.extraVolumes().isEmpty()) {
                throw new IllegalArgumentException(
                        "the etcd pod takes no extra volumes: " + options.extraVolumes());
            }
        }

        String clientUrl() {
            return "https://" + AddressText.withPort(advertiseAddress, CLIENT_PORT);
        }

        String peerUrl() {
            return "https://" + AddressText.withPort(advertiseAddress, PEER_PORT);
        }

        String loopback() {
            return AddressText.loopbackInUrl(advertiseAddress);
        }

        Path certificatesDir() {
            return host.certificatesDir().resolve("etcd");
        }
    }

    /** The pod, before patches. */
    public static Pod build(Input input) {
        PodOptions options = input.options();
        MetricsListener listener = MetricsListener.of(input);
        return new StaticPod(
                        NAME,
                        Map.of(CLIENT_URLS_ANNOTATION, input.clientUrl()),
                        options,
                        new StaticPod.Program(
                                arguments(input),
                                List.of(),
                                Map.of("cpu", "100m", "memory", "100Mi"),
                                List.of(
                                        HostVolume.writableDirectory(DATA_VOLUME, input.dataDir()),
                                        HostVolume.writableDirectory(
                                                "etcd-certs", input.certificatesDir()))),
                        listener.port(),
                        probes(input, listener.endpoint()),
                        StaticPod.withoutCapabilities())
                .toPod();
    }

    private static List<Argument> arguments(Input input) {
        String ca = input.certificatesDir().resolve("ca.crt").toString();
        var arguments = new ArrayList<>(List.of(
                new Argument("advertise-client-urls", input.clientUrl()),
                new Argument(
                        "cert-file",
                        input.certificatesDir().resolve("server.crt").toString()),
                new Argument("client-cert-auth", "true"),
                new Argument("data-dir", input.dataDir().toString()),
                new Argument("initial-advertise-peer-urls", input.peerUrl()),
                new Argument("initial-cluster", initialCluster(input)),
                new Argument(
                        "key-file",
                        input.certificatesDir().resolve("server.key").toString()),
                new Argument(
                        "listen-client-urls",
                        "https://" + input.loopback() + ":" + CLIENT_PORT + ","
                                + input.clientUrl()),
                new Argument(
                        "listen-metrics-urls", "http://" + input.loopback() + ":" + METRICS_PORT),
                new Argument("listen-peer-urls", input.peerUrl()),
                new Argument("name", input.nodeName()),
                new Argument(
                        "peer-cert-file",
                        input.certificatesDir().resolve("peer.crt").toString()),
                new Argument("peer-client-cert-auth", "true"),
                new Argument(
                        "peer-key-file",
                        input.certificatesDir().resolve("peer.key").toString()),
                new Argument("peer-trusted-ca-file", ca),
                new Argument("snapshot-count", "10000"),
                new Argument("trusted-ca-file", ca)));
        if (input.existingCluster().isPresent()) {
            arguments.add(new Argument("initial-cluster-state", "existing"));
        }
        arguments.addAll(versionedArguments(input.version()));
        return arguments;
    }

    private static String initialCluster(Input input) {
        return input.existingCluster()
                .map(members ->
                        members.stream().map(NameAndUrl::text).collect(Collectors.joining(",")))
                .orElse(input.nodeName() + "=" + input.peerUrl());
    }

    /** What is named otherwise, or is missing, in another minor of etcd. */
    static List<Argument> versionedArguments(Optional<ImageVersion> version) {
        if (version.isEmpty() || hasFeatureGates(version.get())) {
            return List.of(
                    new Argument("feature-gates", "InitialCorruptCheck=true"),
                    new Argument("watch-progress-notify-interval", "5s"));
        }
        var arguments = new ArrayList<Argument>();
        arguments.add(new Argument("experimental-initial-corrupt-check", "true"));
        // the interval can be set from 3.5 on
        if (version.get().atLeast(3, 5, 0)) {
            arguments.add(new Argument("experimental-watch-progress-notify-interval", "5s"));
        }
        return arguments;
    }

    /** {@code --feature-gates} and the names without {@code experimental-} came with 3.6. */
    private static boolean hasFeatureGates(ImageVersion version) {
        return version.atLeast(3, 6, 0);
    }

    /**
     * {@code /livez} and {@code /readyz} came with 3.6 and were brought back to 3.5.11 and 3.4.29.
     */
    private static boolean hasHealthPaths(ImageVersion version) {
        return version.minor() == 4 ? version.atLeast(3, 4, 29) : version.atLeast(3, 5, 11);
    }

    private static StaticPod.Probes probes(Input input, ProbeEndpoint endpoint) {
        boolean paths = input.version().map(EtcdPod::hasHealthPaths).orElse(true);
        String alive = paths ? "/livez" : "/health?exclude=NOSPACE&serializable=true";
        String ready = paths ? "/readyz" : "/health?serializable=false";
        boolean joining = input.existingCluster().isPresent();
        return new StaticPod.Probes(
                endpoint.startup(joining ? alive : ready, startupLimit(input, joining)),
                endpoint.liveness(alive),
                Optional.of(endpoint.readiness(ready)));
    }

    private static Duration startupLimit(Input input, boolean joining) {
        Duration limit = input.host().startupLimit();
        return joining && limit.compareTo(JOIN_STARTUP_LIMIT) < 0 ? JOIN_STARTUP_LIMIT : limit;
    }

    /**
     * Where etcd serves its health: our loopback listener, or the first one the operator gave
     * instead.
     */
    private record MetricsListener(int port, ProbeEndpoint endpoint) {

        static MetricsListener of(Input input) {
            var ours = new MetricsListener(
                    METRICS_PORT,
                    ProbeEndpoint.of(AddressText.loopback(input.advertiseAddress()), "HTTP"));
            return Argument.lastValue(input.options().extraArgs(), "listen-metrics-urls")
                    .map(urls -> urls.split(",")[0].strip())
                    .flatMap(MetricsListener::parse)
                    .orElse(ours);
        }

        /** Empty for what is no URL with a host; etcd itself will tell about it. */
        private static Optional<MetricsListener> parse(String text) {
            URI url;
            try {
                url = URI.create(text);
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
            if (url.getHost() == null || url.getScheme() == null) {
                return Optional.empty();
            }
            String host = url.getHost().replace("[", "").replace("]", "");
            int port = url.getPort() < 0 ? METRICS_PORT : url.getPort();
            // also 0.0.0.0 and ::, where Linux reaches the machine itself: kubeadm writes them here
            return Optional.of(new MetricsListener(
                    port, new ProbeEndpoint(host, url.getScheme().toUpperCase(Locale.ROOT))));
        }
    }
}
