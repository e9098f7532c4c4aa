package io.kjadm.manifests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What the operator may change about the pods, and what follows from it. */
final class StaticPodInputsTest {

    private static final InetAddress ADDRESS = InetAddress.ofLiteral("192.0.2.10");

    @Test
    void ourArgumentsGiveWayToEveryExtraOneOfTheirName() {
        assertEquals(
                List.of("--a=1", "--c=3", "--b=x", "--b=", "--a2=y"),
                Argument.merge(
                        List.of(
                                new Argument("c", "3"),
                                new Argument("b", "2"),
                                new Argument("a", "1")),
                        List.of(
                                new Argument("b", "x"),
                                new Argument("b", ""),
                                new Argument("a2", "y"))));
    }

    @Test
    void anAuthorizationFileLeavesNoRoomForModes() {
        List<String> command = apiServer(
                        options(
                                List.of(new Argument("authorization-config", "/etc/authz.yaml")),
                                List.of(),
                                List.of()),
                        stacked(List.of()))
                .getCommand();
        assertTrue(command.stream()
                .noneMatch(argument -> argument.startsWith("--authorization-mode")));
    }

    /** The values of a flag, in the order in which it is given. */
    private static List<String> values(List<String> command, String flag) {
        String start = "--" + flag + "=";
        return command.stream()
                .filter(argument -> argument.startsWith(start))
                .map(argument -> argument.substring(start.length()))
                .toList();
    }

    @Test
    void etcdElsewhereOnTheNodeIsWhatTheApiServerAsks() {
        List<String> command = apiServer(
                        PodOptions.of("image"),
                        stacked(List.of(
                                new Argument("advertise-client-urls", "https://10.0.0.1:2379"))))
                .getCommand();
        assertEquals(List.of("https://10.0.0.1:2379"), values(command, "etcd-servers"));
    }

    @Test
    void externalEtcdWithoutCertificatesIsReachedWithoutThem() {
        List<String> command = apiServer(
                        PodOptions.of("image"),
                        new ApiServerEtcd(
                                List.of("http://10.0.0.1:2379"),
                                Optional.empty(),
                                Optional.of(Path.of("/x/client.crt")),
                                Optional.empty()))
                .getCommand();
        assertEquals(List.of("http://10.0.0.1:2379"), values(command, "etcd-servers"));
        assertTrue(
                command.stream()
                        .noneMatch(argument -> argument.startsWith("--etcd-c")
                                || argument.startsWith("--etcd-keyfile")),
                "a certificate without its key is no pair");
    }

    @Test
    void onlyTheOutermostUncoveredDirectoriesAreMounted() {
        assertEquals(
                List.of(Path.of("/etc/kubernetes/pki-etcd"), Path.of("/opt/etcd")),
                HostCaDirectories.uncovered(
                        List.of(
                                Path.of("/opt/etcd/client/tls.crt"),
                                Path.of("/opt/etcd/ca.crt"),
                                Path.of("/etc/ssl/certs/ca.pem"),
                                Path.of("/etc/pki/tls/certs/ca.pem"),
                                Path.of("/etc/kubernetes/pki/etcd/ca.crt"),
                                Path.of("/etc/kubernetes/pki-etcd/ca.crt")),
                        Path.of("/etc/kubernetes/pki")));
    }

    @Test
    void anExtraVolumeReplacesOursOfItsName() {
        Pod pod = ApiServerPod.build(apiServerInput(
                options(
                        List.of(),
                        List.of(new HostVolume("ca-certs", "/opt/ca", "/etc/ssl/certs", false, "")),
                        List.of()),
                stacked(List.of())));
        List<Volume> volumes = pod.getSpec().getVolumes();
        assertEquals(
                List.of("ca-certs", "k8s-certs"),
                volumes.stream().map(Volume::getName).toList());
        assertEquals("/opt/ca", volumes.getFirst().getHostPath().getPath());
        assertEquals("", volumes.getFirst().getHostPath().getType());
        assertNull(pod.getSpec()
                .getContainers()
                .getFirst()
                .getVolumeMounts()
                .getFirst()
                .getReadOnly());
    }

    @Test
    void extraVariablesWinOverThoseOfTheHost() {
        var host = new PodHost(
                Path.of("/etc/kubernetes/pki"),
                Path.of("/etc/kubernetes"),
                List.of(),
                List.of(new EnvVariable("no_proxy", "a"), new EnvVariable("HTTP_PROXY", "b")),
                Duration.ofMinutes(4));
        Container container = SchedulerPod.build(new SchedulerPod.Input(
                        host,
                        options(
                                List.of(),
                                List.of(),
                                List.of(
                                        new EnvVariable("no_proxy", "mine"),
                                        new EnvVariable("A", "")))))
                .getSpec()
                .getContainers()
                .getFirst();
        assertEquals(
                List.of("A", "HTTP_PROXY", "no_proxy"),
                container.getEnv().stream().map(EnvVar::getName).toList());
        assertEquals("mine", container.getEnv().getLast().getValue());
        assertNull(container.getEnv().getFirst().getValue());
    }

    @ParameterizedTest
    @CsvSource({"1s, 1", "10s, 1", "11s, 2", "4m, 24"})
    void theStartupLimitIsRoundedUpToProbes(String limit, int failures) {
        var host = new PodHost(
                Path.of("/etc/kubernetes/pki"),
                Path.of("/etc/kubernetes"),
                List.of(),
                List.of(),
                Duration.parse("PT" + limit));
        assertEquals(
                failures,
                SchedulerPod.build(new SchedulerPod.Input(host, PodOptions.of("image")))
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getStartupProbe()
                        .getFailureThreshold());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://0.0.0.0:2381|2381|0.0.0.0|HTTP",
                "http://[::]:2391,http://10.0.0.1:2392|2391|::|HTTP",
                "https://[::1]:9000,http://x:1|9000|::1|HTTPS",
                "http://10.0.0.1|2381|10.0.0.1|HTTP",
                "nonsense|2381|127.0.0.1|HTTP"
            })
    void etcdIsAskedWhereItListens(String urls, int port, String host, String scheme) {
        Container container =
                etcd("3.6.8-0", List.of(new Argument("listen-metrics-urls", urls)), false);
        assertEquals(port, container.getPorts().getFirst().getContainerPort());
        assertEquals(host, container.getLivenessProbe().getHttpGet().getHost());
        assertEquals(scheme, container.getLivenessProbe().getHttpGet().getScheme());
    }

    @ParameterizedTest
    @CsvSource({
        "3.6.0-0, true, true, /readyz",
        "latest, true, true, /readyz",
        "3.7.1, true, true, /readyz",
        "3.5.21-0, false, true, /readyz",
        "3.5.11, false, true, /readyz",
        "3.5.10, false, true, /health?serializable=false",
        "3.4.29, false, false, /readyz",
        "v3.4.23, false, false, /health?serializable=false",
        "3.3.25, false, false, /health?serializable=false"
    })
    void flagsAndPathsFollowTheVersionOfEtcd(
            String tag, boolean gates, boolean progress, String ready) {
        Container container = etcd(tag, List.of(), false);
        assertEquals(
                gates ? List.of("InitialCorruptCheck=true") : List.of(),
                values(container.getCommand(), "feature-gates"));
        assertEquals(
                gates ? List.of() : List.of("true"),
                values(container.getCommand(), "experimental-initial-corrupt-check"));
        assertEquals(
                progress,
                container.getCommand().stream()
                        .anyMatch(argument ->
                                argument.endsWith("watch-progress-notify-interval=5s")));
        assertEquals(ready, container.getReadinessProbe().getHttpGet().getPath());
        assertEquals(ready, container.getStartupProbe().getHttpGet().getPath());
    }

    @Test
    void aJoiningMemberIsGivenTimeToCatchUp() {
        Container container = etcd("3.6.8-0", List.of(), true);
        assertEquals("/livez", container.getStartupProbe().getHttpGet().getPath());
        assertEquals(180, container.getStartupProbe().getFailureThreshold());
        assertEquals(List.of("existing"), values(container.getCommand(), "initial-cluster-state"));
        assertEquals(
                List.of(),
                values(etcd("3.6.8-0", List.of(), false).getCommand(), "initial-cluster-state"));
    }

    @Test
    void etcdTakesNoExtraVolumes() {
        var options =
                options(List.of(), List.of(new HostVolume("a", "/a", "/a", true, "")), List.of());
        assertThrows(
                IllegalArgumentException.class,
                () -> new EtcdPod.Input(
                        host(),
                        options,
                        Optional.empty(),
                        "n",
                        ADDRESS,
                        Path.of("/var/lib/etcd"),
                        Optional.empty()));
    }

    @Test
    void idsOfRootAreRefusedForARootlessPod() {
        assertThrows(IllegalArgumentException.class, () -> new RunAsIds(0, 1, List.of()));
    }

    @ParameterizedTest
    @CsvSource({
        "2001:DB8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "::1, ::1",
        "::, ::",
        "fe80::, fe80::",
        "1:0:2:3:4:5:6:7, 1:0:2:3:4:5:6:7",
        "::ffff:192.0.2.1, 192.0.2.1",
        "10.0.0.1, 10.0.0.1"
    })
    void addressesAreWrittenInTheirShortestForm(String literal, String text) {
        assertEquals(text, AddressText.of(InetAddress.ofLiteral(literal)));
    }

    private static Container apiServer(PodOptions options, ApiServerEtcd etcd) {
        return ApiServerPod.build(apiServerInput(options, etcd))
                .getSpec()
                .getContainers()
                .getFirst();
    }

    private static ApiServerPod.Input apiServerInput(PodOptions options, ApiServerEtcd etcd) {
        return new ApiServerPod.Input(
                host(), options, ADDRESS, 6443, etcd, "cluster.local", "10.96.0.0/12");
    }

    private static Container etcd(String tag, List<Argument> extraArgs, boolean join) {
        return EtcdPod.build(new EtcdPod.Input(
                        host(),
                        options(extraArgs, List.of(), List.of()),
                        ImageVersion.fromTag(tag),
                        "cp-1",
                        ADDRESS,
                        Path.of("/var/lib/etcd"),
                        join ? Optional.of(List.of()) : Optional.empty()))
                .getSpec()
                .getContainers()
                .getFirst();
    }

    private static ApiServerEtcd stacked(List<Argument> extraArgs) {
        return ApiServerEtcd.stacked(host(), ADDRESS, extraArgs);
    }

    private static PodOptions options(
            List<Argument> args, List<HostVolume> volumes, List<EnvVariable> envs) {
        return new PodOptions("image", args, volumes, envs, Optional.empty());
    }

    private static PodHost host() {
        return new PodHost(
                Path.of("/etc/kubernetes/pki"),
                Path.of("/etc/kubernetes"),
                List.of(),
                List.of(),
                Duration.ofMinutes(4));
    }
}
