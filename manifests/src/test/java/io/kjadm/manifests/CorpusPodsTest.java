package io.kjadm.manifests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fabric8.kubernetes.api.model.Pod;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The pods equal what kubeadm renders from the same file, compared as trees. */
final class CorpusPodsTest {

    private static final String OLD_ETCD = "etcd-old-tag";

    @BeforeAll
    static void needsTheCorpus() {
        Corpus.assumePresent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "minimal",
                "ipv6-only",
                "external-etcd",
                "extra-args",
                "extra-volumes-envs",
                OLD_ETCD,
                "pod-subnet",
                "dual-stack",
                "bind-port",
                "image-repository",
                "version-1-35"
            })
    void podsEqualThoseOfKubeadm(String name) {
        var adapter = new CaseAdapter(name);
        assertSame(name, ApiServerPod.NAME, ApiServerPod.build(adapter.apiServer()));
        assertSame(
                name,
                ControllerManagerPod.NAME,
                ControllerManagerPod.build(adapter.controllerManager()));
        assertSame(name, SchedulerPod.NAME, SchedulerPod.build(adapter.scheduler()));
        if (!name.equals("external-etcd") && !name.equals(OLD_ETCD)) {
            assertSame(name, EtcdPod.NAME, EtcdPod.build(adapter.etcd()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = OLD_ETCD)
    void anOldEtcdDiffersOnlyInTheFlagsItKnows(String name) {
        String expected = ManifestYaml.write(Corpus.manifest(name, EtcdPod.NAME))
                .replace("    - --watch-progress-notify-interval=5s\n", "")
                .replace(
                        "    - --feature-gates=InitialCorruptCheck=true\n",
                        "    - --experimental-initial-corrupt-check=true\n"
                                + "    - --experimental-watch-progress-notify-interval=5s\n");
        assertEquals(expected, ManifestYaml.write(EtcdPod.build(new CaseAdapter(name).etcd())));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"minimal", "image-repository", "version-1-35", OLD_ETCD, "external-etcd"})
    void imagesAreNamedAsByKubeadm(String name) {
        var adapter = new CaseAdapter(name);
        ImageNames images = adapter.images();
        var named = new ArrayList<>(List.of(
                images.apiServer(),
                images.controllerManager(),
                images.scheduler(),
                images.kubeProxy(),
                images.coreDns(),
                images.pause()));
        if (!name.equals("external-etcd")) {
            named.add(images.etcd());
        }
        assertEquals(Corpus.images(name), named);
    }

    private static void assertSame(String caseName, String component, Pod pod) {
        assertEquals(
                ManifestYaml.write(Corpus.manifest(caseName, component)), ManifestYaml.write(pod));
    }

    /** Makes the inputs of the pods from a configuration file, as far as these cases need it. */
    private static final class CaseAdapter {

        private final String name;
        private final Map<String, Object> cluster;
        private final Map<String, Object> init;

        CaseAdapter(String name) {
            this.name = name;
            Map<String, Map<String, Object>> documents = Corpus.config(name);
            cluster = documents.getOrDefault("ClusterConfiguration", Map.of());
            init = documents.getOrDefault("InitConfiguration", Map.of());
        }

        ApiServerPod.Input apiServer() {
            return new ApiServerPod.Input(
                    host(),
                    options("apiServer", images().apiServer()),
                    address(),
                    (Integer) at(init, "localAPIEndpoint").getOrDefault("bindPort", 6443),
                    etcdAccess(),
                    networking("dnsDomain").orElse("cluster.local"),
                    serviceSubnet());
        }

        ControllerManagerPod.Input controllerManager() {
            return new ControllerManagerPod.Input(
                    host(),
                    options("controllerManager", images().controllerManager()),
                    serviceSubnet(),
                    networking("podSubnet"),
                    "kubernetes",
                    false);
        }

        SchedulerPod.Input scheduler() {
            return new SchedulerPod.Input(host(), options("scheduler", images().scheduler()));
        }

        EtcdPod.Input etcd() {
            Map<String, Object> local = at(at(cluster, "etcd"), "local");
            return new EtcdPod.Input(
                    host(),
                    options(local, images().etcd()),
                    ImageVersion.fromTag(images().etcdTag()),
                    (String) at(init, "nodeRegistration").get("name"),
                    address(),
                    Path.of((String) local.getOrDefault("dataDir", "/var/lib/etcd")),
                    Optional.empty());
        }

        ImageNames images() {
            Map<String, Object> local = at(at(cluster, "etcd"), "local");
            Map<String, Object> dns = at(cluster, "dns");
            return new ImageNames(
                    (String) cluster.getOrDefault("imageRepository", ImageNames.DEFAULT_REPOSITORY),
                    (String) cluster.get("kubernetesVersion"),
                    ImageNames.Build.RELEASE,
                    choice(local),
                    choice(dns));
        }

        private static ImageNames.Choice choice(Map<String, Object> tree) {
            return new ImageNames.Choice(
                    Optional.ofNullable((String) tree.get("imageRepository")),
                    Optional.ofNullable((String) tree.get("imageTag")));
        }

        /**
         * The CA directories are those of the recording machine: the read-only mounts named like
         * their path.
         */
        private PodHost host() {
            Pod recorded = ManifestYaml.typed(Corpus.manifest(name, ApiServerPod.NAME), Pod.class);
            List<Path> directories = recorded.getSpec().getVolumes().stream()
                    .map(volume -> Path.of(volume.getHostPath().getPath()))
                    .filter(HostCaDirectories.CANDIDATES::contains)
                    .toList();
            return new PodHost(
                    Path.of((String)
                            cluster.getOrDefault("certificatesDir", "/etc/kubernetes/pki")),
                    Path.of("/etc/kubernetes"),
                    directories,
                    List.of(),
                    Duration.ofMinutes(4));
        }

        private PodOptions options(String component, String image) {
            return options(at(cluster, component), image);
        }

        private static PodOptions options(Map<String, Object> tree, String image) {
            return new PodOptions(
                    image,
                    list(tree, "extraArgs").stream()
                            .map(arg -> new Argument(
                                    (String) arg.get("name"), (String) arg.get("value")))
                            .toList(),
                    list(tree, "extraVolumes").stream()
                            .map(volume -> new HostVolume(
                                    (String) volume.get("name"),
                                    (String) volume.get("hostPath"),
                                    (String) volume.get("mountPath"),
                                    (Boolean) volume.getOrDefault("readOnly", false),
                                    (String) volume.getOrDefault("pathType", "")))
                            .toList(),
                    list(tree, "extraEnvs").stream()
                            .map(env -> new EnvVariable(
                                    (String) env.get("name"), (String) env.get("value")))
                            .toList(),
                    Optional.empty());
        }

        private ApiServerEtcd etcdAccess() {
            Map<String, Object> external = at(at(cluster, "etcd"), "external");
            if (external.isEmpty()) {
                return ApiServerEtcd.stacked(
                        host(),
                        address(),
                        options(at(at(cluster, "etcd"), "local"), "").extraArgs());
            }
            return new ApiServerEtcd(
                    ((List<?>) external.get("endpoints"))
                            .stream().map(String::valueOf).toList(),
                    file(external, "caFile"),
                    file(external, "certFile"),
                    file(external, "keyFile"));
        }

        private static Optional<Path> file(Map<String, Object> tree, String field) {
            return Optional.ofNullable((String) tree.get(field)).map(Path::of);
        }

        private InetAddress address() {
            return InetAddress.ofLiteral(
                    (String) at(init, "localAPIEndpoint").get("advertiseAddress"));
        }

        private String serviceSubnet() {
            return networking("serviceSubnet").orElse("10.96.0.0/12");
        }

        private Optional<String> networking(String field) {
            return Optional.ofNullable((String) at(cluster, "networking").get(field));
        }

        private static Map<String, Object> at(Map<String, Object> tree, String field) {
            return tree.get(field) instanceof Map<?, ?> map
                    ? ManifestYaml.castToObject(map)
                    : Map.of();
        }

        private static List<Map<String, Object>> list(Map<String, Object> tree, String field) {
            return KubeconfigTree.items(tree, field);
        }
    }
}
