package io.kjadm.core.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.feature.FeatureGate;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.net.FakeHost;
import io.kjadm.core.net.NetworkFacts;
import io.kjadm.core.value.IpAddresses;
import io.kjadm.etcd.Named;
import io.kjadm.manifests.Argument;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

class ConfigurationLoaderTest {

    private static final CommandFlags VERSION =
            CommandFlags.none().with(Flag.KUBERNETES_VERSION, "1.36.2");

    private final List<String> warnings = new ArrayList<>();
    private final FakeHost host = new FakeHost();

    @Test
    void nothingGivenIsCompletedFromTheMachine() {
        LoadedInit loaded = init(VERSION);
        NodeRegistration node = loaded.init().nodeRegistration();
        assertEquals("test-host", node.name());
        assertEquals(CriSockets.DEFAULT, node.criSocket());
        assertEquals(Optional.of(List.of(Taint.CONTROL_PLANE)), node.taints());
        assertEquals(
                "192.0.2.10:6443",
                loaded.init().localApiEndpoint().hostAndPort().text());
        assertEquals("v1.36.2", loaded.cluster().kubernetesVersion());
        assertTrue(BootstrapToken.isToken(
                loaded.init().bootstrapTokens().getFirst().token()));
        assertEquals(
                "10.96.0.10", IpAddresses.text(loaded.cluster().networking().dnsAddress()));
        assertEquals(List.of(), warnings);
        assertEquals(List.of(), host.fetched);
    }

    @Test
    void flagsReachTheModel() {
        LoadedInit loaded = init(VERSION.with(Flag.APISERVER_ADVERTISE_ADDRESS, "2001:db8::10")
                .with(Flag.APISERVER_BIND_PORT, "7443")
                .with(Flag.POD_NETWORK_CIDR, "fd00:1::/56")
                .with(Flag.SERVICE_CIDR, "fd00:2::/112")
                .with(Flag.CONTROL_PLANE_ENDPOINT, "api.test")
                .with(Flag.APISERVER_CERT_EXTRA_SANS, "a.test,b.test")
                .with(Flag.TOKEN_TTL, "0")
                .with(Flag.TOKEN, "abcdef.0123456789abcdef")
                .with(Flag.UPLOAD_CERTS, "true")
                .with(Flag.FEATURE_GATES, "EtcdLearnerMode=false")
                .with(Flag.PATCHES, "/p")
                .with(Flag.SKIP_PHASES, "addon/kube-proxy")
                .with(Flag.DRY_RUN, "true"));
        assertEquals(
                "[2001:db8::10]:7443",
                loaded.init().localApiEndpoint().hostAndPort().text());
        assertEquals(
                "api.test:7443",
                loaded.cluster().controlPlaneEndpoint().orElseThrow().text());
        assertEquals(List.of("a.test", "b.test"), loaded.cluster().apiServer().certSans());
        assertEquals(
                Optional.of(Duration.ZERO),
                loaded.init().bootstrapTokens().getFirst().ttl());
        assertFalse(loaded.cluster().featureGates().enabled(FeatureGate.ETCD_LEARNER_MODE));
        assertEquals(
                List.of(
                        "feature gate EtcdLearnerMode is off: adding etcd members directly as voters is deprecated, because one that does not start can cost the quorum"),
                warnings);
        assertTrue(loaded.cluster().proxyDisabled());
        assertTrue(loaded.init().dryRun());
        assertEquals(Optional.of(Path.of("/p")), loaded.init().patchesDirectory());
        assertEquals("::", loaded.kubeProxy().bindAddress());
        assertEquals("fd00:1::/56", loaded.kubeProxy().tree().get("clusterCIDR"));
    }

    @Test
    void errorsAboutFlagsNameTheFlag() {
        UsageException error = assertThrows(
                UsageException.class,
                () -> init(VERSION.with(Flag.POD_NETWORK_CIDR, "10.0.0.0/33")));
        assertEquals(
                Set.of("--pod-network-cidr"), Named.flags(error.getMessage()), error.getMessage());
        error = assertThrows(
                UsageException.class, () -> init(VERSION.with(Flag.APISERVER_BIND_PORT, "many")));
        assertEquals(
                Set.of("--apiserver-bind-port"),
                Named.flags(error.getMessage()),
                error.getMessage());
        error = assertThrows(
                UsageException.class, () -> init(VERSION.with(Flag.TOKEN, "secret.but-malformed")));
        assertEquals(
                "the configuration in the command line is invalid: --token:"
                        + " invalid value (hidden): a token is 6 characters, a dot and"
                        + " 16 characters out of a-z and 0-9",
                error.getMessage());
    }

    @Test
    void filesExcludeFlagsThatSayWhatToMake() {
        UsageException error = assertThrows(
                UsageException.class,
                () -> withFile(CommandFlags.none()
                        .with(Flag.PATCHES, "d")
                        .with(Flag.CERT_DIR, "x")
                        .with(Flag.NODE_NAME, "n")));
        assertEquals(
                "flags cannot be mixed with --config: --cert-dir, --patches: what they set belongs in the configuration file; set it there, or leave --config out",
                error.getMessage());
    }

    @Test
    void flagsThatSayHowToRunGoWithFiles() {
        LoadedInit loaded = withFile(CommandFlags.none()
                .with(Flag.NODE_NAME, "UPPER")
                .with(Flag.IGNORE_PREFLIGHT_ERRORS, "Swap,mem")
                .with(Flag.DRY_RUN, "true")
                .with(Flag.SKIP_PHASES, "preflight")
                .with(Flag.CONFIG, "f")
                .with(Flag.SKIP_TOKEN_PRINT, ""));
        assertEquals("upper", loaded.init().nodeRegistration().name());
        assertEquals(
                List.of("mem", "numcpu", "swap"),
                loaded.init().nodeRegistration().ignorePreflightErrors());
        assertTrue(loaded.init().dryRun());
        assertEquals(List.of("preflight", "addon/coredns"), loaded.init().skipPhases());
    }

    @Test
    void disabledAddonAndSkippedPhaseGoTogether() {
        LoadedInit loaded = withFile(CommandFlags.none());
        assertEquals(
                List.of("mark-control-plane", "addon/coredns"), loaded.init().skipPhases());
        assertTrue(loaded.cluster().dns().disabled());
        assertFalse(loaded.cluster().proxyDisabled());
        LoadedInit neither = init(VERSION.with(Flag.SKIP_PHASES, "addon"));
        assertTrue(neither.cluster().dns().disabled());
        assertTrue(neither.cluster().proxyDisabled());
        assertEquals(List.of("addon"), neither.init().skipPhases());
        LoadedInit proxyless = init(VERSION.with(Flag.SKIP_PHASES, "addon/kube-proxy"));
        assertFalse(proxyless.cluster().dns().disabled());
        assertTrue(proxyless.cluster().proxyDisabled());
        assertEquals(List.of("addon/kube-proxy"), proxyless.init().skipPhases());
        assertEquals(List.of(), init(VERSION).init().skipPhases());
    }

    @Test
    void severalRuntimesNeedAChoice() {
        host.sockets.add("/var/run/containerd/containerd.sock");
        host.sockets.add("/var/run/crio/crio.sock");
        UsageException error = assertThrows(UsageException.class, () -> init(VERSION));
        assertEquals(
                "several container runtimes answer: unix:///var/run/containerd/containerd.sock, unix:///var/run/crio/crio.sock; choose one with nodeRegistration.criSocket (criSocket in ResetConfiguration), or with --cri-socket",
                error.getMessage());
        assertEquals(
                "unix:///run/x.sock",
                init(VERSION.with(Flag.CRI_SOCKET, "unix:///run/x.sock"))
                        .init()
                        .nodeRegistration()
                        .criSocket());
        assertEquals(
                "unix:///run/c.sock",
                loader().init(
                                Optional.empty(),
                                VERSION,
                                LoadOptions.RUN.withCriSocket("unix:///run/c.sock"))
                        .init()
                        .nodeRegistration()
                        .criSocket());
        host.sockets.remove("/var/run/containerd/containerd.sock");
        assertEquals(
                "unix:///var/run/crio/crio.sock",
                init(VERSION).init().nodeRegistration().criSocket());
    }

    @Test
    void machineWithoutANameIsRefused() {
        host.hostname = " ";
        assertThrows(HostException.class, () -> init(VERSION));
    }

    @Test
    void machineWithoutAnAddressIsRefusedOnlyWhereOneIsNeeded() {
        host.network = new NetworkFacts(Optional.of(List.of()), List.of());
        assertThrows(UsageException.class, () -> init(VERSION));
        LoadedInit loaded = loader().init(Optional.empty(), VERSION, LoadOptions.INSPECT);
        assertEquals("0.0.0.0", loaded.init().localApiEndpoint().advertiseAddress());
    }

    @Test
    void offlineLoadingTakesOwnMinor() {
        assertEquals(
                "v1.37.0",
                loader().init(Optional.empty(), CommandFlags.none(), LoadOptions.OFFLINE)
                        .cluster()
                        .kubernetesVersion());
        assertEquals(List.of(), host.fetched);
    }

    @Test
    void workerJoinsWithATokenOnly() {
        JoinConfiguration join = join(
                CommandFlags.none()
                        .with(Flag.TOKEN, "abcdef.0123456789abcdef")
                        .with(Flag.DISCOVERY_TOKEN_CA_CERT_HASH, "sha256:00")
                        .with(Flag.CERTIFICATE_KEY, "ignored"),
                "api.test:6443");
        TokenDiscovery discovery = (TokenDiscovery) join.discovery();
        assertEquals("abcdef.0123456789abcdef", discovery.token());
        assertEquals(Optional.of("abcdef.0123456789abcdef"), discovery.tlsBootstrapToken());
        assertEquals(Optional.empty(), join.controlPlane());
        assertEquals(Optional.empty(), join.nodeRegistration().taints());
        assertEquals(
                Set.of("--certificate-key", "--control-plane"),
                Named.flags(warnings.toString()),
                warnings.toString());
        assertFalse(join.toString().contains("0123456789abcdef"), join.toString());
    }

    /** It has no API server that would need an address (kubernetes#138692). */
    @Test
    void aWorkerNeedsNoDefaultRoute() {
        host.network = new NetworkFacts(Optional.of(List.of()), List.of());
        CommandFlags token = CommandFlags.none()
                .with(Flag.TOKEN, "abcdef.0123456789abcdef")
                .with(Flag.DISCOVERY_TOKEN_UNSAFE_SKIP_CA_VERIFICATION, "true");
        assertEquals(Optional.empty(), join(token, "api.test:6443").controlPlane());
        assertEquals(List.of(), warnings);
        assertThrows(
                UsageException.class,
                () -> join(token.with(Flag.CONTROL_PLANE, "true"), "api.test:6443"));
    }

    @Test
    void controlPlaneJoinDetectsItsAddressAndHidesItsKey() {
        String key = "ab".repeat(32);
        JoinConfiguration join = join(
                CommandFlags.none()
                        .with(Flag.CONTROL_PLANE, "true")
                        .with(Flag.CERTIFICATE_KEY, key)
                        .with(Flag.TOKEN, "abcdef.0123456789abcdef")
                        .with(Flag.DISCOVERY_TOKEN_UNSAFE_SKIP_CA_VERIFICATION, "true"),
                "[2001:db8::1]:6443");
        JoinControlPlane part = join.controlPlane().orElseThrow();
        assertEquals("192.0.2.10", part.localApiEndpoint().advertiseAddress());
        assertEquals(Optional.of(key), part.certificateKey());
        assertEquals(
                Optional.of(List.of(Taint.CONTROL_PLANE)),
                join.nodeRegistration().taints());
        assertFalse(join.toString().contains(key), join.toString());
    }

    @Test
    void joinWithoutEndpointOrFileIsRefused() {
        assertThrows(
                UsageException.class,
                () -> loader().join(
                                Optional.empty(),
                                CommandFlags.none().with(Flag.TOKEN, "abcdef.0123456789abcdef"),
                                Optional.empty(),
                                LoadOptions.RUN));
    }

    @Test
    void adminKubeconfigReplacesDiscovery() {
        JoinConfiguration join = loader().join(
                        Optional.empty(),
                        CommandFlags.none(),
                        Optional.of("api.test:6443"),
                        LoadOptions.RUN.withAdminConf(Path.of("/proc")));
        assertEquals(new FileDiscovery("/proc", Optional.empty()), join.discovery());
    }

    @Test
    void resetKnowsWhatWasChosenAndWhatWasNot() {
        ResetConfiguration reset = loader().reset(
                        Optional.empty(),
                        CommandFlags.none()
                                .with(Flag.FORCE, "true")
                                .with(Flag.IGNORE_PREFLIGHT_ERRORS, "ALL"));
        assertTrue(reset.force());
        assertEquals(Optional.empty(), reset.certificatesDir());
        assertEquals(Optional.empty(), reset.criSocket());
        assertEquals(List.of("all"), reset.ignorePreflightErrors());
    }

    @Test
    void v1beta3ValuesMoveToTheirNewPlaces() {
        LoadedInit loaded = loader().init(
                        Optional.of(ConfigurationFile.of("f", """
                apiVersion: kubeadm.k8s.io/v1beta3
                kind: ClusterConfiguration
                kubernetesVersion: v1.36.1
                apiServer:
                  timeoutForControlPlane: 6m
                  extraArgs: {v: "4", audit-log-path: /a}
                ---
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: InitConfiguration
                timeouts: {etcdAPICall: 0s}
                """)),
                        CommandFlags.none(),
                        LoadOptions.RUN);
        assertEquals(
                List.of(new Argument("audit-log-path", "/a"), new Argument("v", "4")),
                loaded.cluster().apiServer().component().extraArgs());
        assertEquals(
                Duration.ofMinutes(6), loaded.init().timeouts().controlPlaneComponentHealthCheck());
        assertEquals(Duration.ZERO, loaded.init().timeouts().etcdApiCall());
        JoinConfiguration join = loader().join(
                        Optional.of(ConfigurationFile.of("f", """
                apiVersion: kubeadm.k8s.io/v1beta3
                kind: JoinConfiguration
                discovery:
                  timeout: 7m
                  bootstrapToken:
                    token: abcdef.0123456789abcdef
                    apiServerEndpoint: h:1
                    unsafeSkipCAVerification: true
                nodeRegistration:
                  kubeletExtraArgs: {b: "2", a: "1"}
                  taints: []
                """)),
                        CommandFlags.none(),
                        Optional.empty(),
                        LoadOptions.RUN);
        assertEquals(Duration.ofMinutes(7), join.timeouts().discovery());
        assertEquals(Optional.of(List.of()), join.nodeRegistration().taints());
        assertEquals("a", join.nodeRegistration().kubeletExtraArgs().getFirst().name());
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.11, '10.96.0.0/16', ",
        "10.0.0.11, '10.96.0.0/16,fd00:1::/112', ",
        "10.0.0.11, 'fd00:1::/112,10.96.0.0/16', 6",
        "10.0.0.11, fd00:1::/112, 6",
        "fd00::11, fd00:1::/112, ",
        "fd00::11, 10.96.0.0/16, 4"
    })
    void addressAndServicesOfTwoFamiliesAreToldOf(
            String address, String services, Integer otherFamily) {
        loader().init(
                        Optional.of(ConfigurationFile.of(
                                "init.yaml", """
                        apiVersion: kubeadm.k8s.io/v1beta4
                        kind: InitConfiguration
                        localAPIEndpoint: {advertiseAddress: "%s"}
                        ---
                        apiVersion: kubeadm.k8s.io/v1beta4
                        kind: ClusterConfiguration
                        kubernetesVersion: v1.36.2
                        networking: {serviceSubnet: "%s"}
                        """.formatted(address, services))),
                        CommandFlags.none(),
                        LoadOptions.RUN);
        assertEquals(
                otherFamily == null
                        ? List.of()
                        : List.of(
                                ("localAPIEndpoint.advertiseAddress %s is an IPv%d address, and the"
                                                + " first network of networking.serviceSubnet \"%s\" is IPv%d;"
                                                + " the API server does not start with two families")
                                        .formatted(
                                                address, 10 - otherFamily, services, otherFamily)),
                warnings);
    }

    /** kinder and Cluster API write such files; kubeadm 1.36 takes them. */
    @Test
    void aFileForAReleaseThatHasTheGateIsReadAsThatReleaseReadsIt() {
        ClusterConfiguration cluster = loader().init(
                        Optional.of(ConfigurationFile.of("c.yaml", """
                                apiVersion: kubeadm.k8s.io/v1beta4
                                kind: ClusterConfiguration
                                kubernetesVersion: v1.36.2
                                featureGates: {NodeLocalCRISocket: true, EtcdLearnerMode: true}
                                """)),
                        CommandFlags.none(),
                        LoadOptions.RUN)
                .cluster();
        assertEquals(Map.of("EtcdLearnerMode", true), cluster.featureGates().chosen());
        assertEquals(
                List.of("feature gate NodeLocalCRISocket is ignored,"
                        + " it was removed in v1.37 and is always on"),
                warnings);
    }

    private LoadedInit init(CommandFlags flags) {
        return loader().init(Optional.empty(), flags, LoadOptions.RUN);
    }

    private LoadedInit withFile(CommandFlags flags) {
        return loader().init(Optional.of(ConfigurationFile.of("f", """
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: InitConfiguration
                skipPhases: [mark-control-plane]
                nodeRegistration: {name: node-1, ignorePreflightErrors: [NumCPU]}
                ---
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: v1.36.2
                dns: {disabled: true}
                """)), flags, LoadOptions.RUN);
    }

    private JoinConfiguration join(CommandFlags flags, String endpoint) {
        return loader().join(Optional.empty(), flags, Optional.of(endpoint), LoadOptions.RUN);
    }

    private ConfigurationLoader loader() {
        return new ConfigurationLoader(host, warnings::add);
    }
}
