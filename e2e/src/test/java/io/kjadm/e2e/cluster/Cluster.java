package io.kjadm.e2e.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;
import io.kjadm.e2e.lab.Running;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A cluster on a lab, seen as its operator sees it. The first node is made by {@link #init}. */
public final class Cluster {
    private static final Duration SETTLING = Duration.ofSeconds(120);
    /**
     * Longer than anything here may take; what hangs is ended, so that the suite can say which
     * command it was.
     */
    private static final String COMMAND_LIMIT = "300";
    /** The same for what waits for others on purpose. */
    private static final Duration PATIENCE = Duration.ofMinutes(15);

    private final Lab lab;
    private final Settings settings;
    private JoinCredentials credentials;

    public Cluster(Lab lab, Settings settings) {
        this.lab = lab;
        this.settings = settings;
    }

    /**
     * Makes node 1 the first control-plane node.
     *
     * @param more further flags
     */
    public Outcome init(Tool tool, String... more) {
        var outcome = tryInit(tool, more).orFail();
        credentials = JoinCredentials.from(outcome.stdout());
        return outcome;
    }

    /** As {@link #init}, but whoever calls judges the outcome. */
    public Outcome tryInit(Tool tool, String... more) {
        var first = lab.node(1);
        first.write(
                "/root/init.yaml",
                settings.forTool(tool).initDocuments(first, lab.endpoint(), lab.balancer()));
        return timed(
                "%s init".formatted(tool.command()),
                first.exec(words(
                        Stream.of(
                                "timeout",
                                COMMAND_LIMIT,
                                tool.command(),
                                "init",
                                "--config",
                                "/root/init.yaml",
                                "--upload-certs"),
                        more)));
    }

    /** Joins a node as a control-plane node. */
    public Outcome joinControlPlane(Tool tool, Node node) {
        return tryJoinControlPlane(tool, node).orFail();
    }

    /** As {@link #joinControlPlane}, but whoever calls judges the outcome. */
    public Outcome tryJoinControlPlane(Tool tool, Node node, String... more) {
        return join(
                tool,
                node,
                "control-plane",
                Stream.concat(controlPlaneFlags(node), Stream.of(more)));
    }

    /**
     * As {@link #tryJoinControlPlane}, from a configuration file.
     *
     * @param more further YAML at the document's top level, such as {@code timeouts}
     */
    public Outcome tryJoinControlPlaneFromFile(Tool tool, Node node, String more) {
        node.write("/root/join.yaml", """
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: JoinConfiguration
                discovery:
                  bootstrapToken: {apiServerEndpoint: "%s", token: %s, caCertHashes: ["%s"]}
                nodeRegistration: %s
                controlPlane: {localAPIEndpoint: {advertiseAddress: "%s"}, certificateKey: %s}
                %s
                """.formatted(
                        lab.endpoint(),
                        credentials.token(),
                        credentials.caCertHash(),
                        Settings.nodeRegistration(node),
                        node.address(),
                        credentials.certificateKey(),
                        more));
        return timed(
                "%s join %s from a file".formatted(tool.command(), node.name()),
                node.exec(
                        "timeout",
                        COMMAND_LIMIT,
                        tool.command(),
                        "join",
                        "--config",
                        "/root/join.yaml"));
    }

    /**
     * Starts the same join as {@link #joinControlPlane} and does not wait for it.
     *
     * @param environment {@code NAME=value}, such as a failpoint
     */
    public Running startJoin(Tool tool, Node node, String... environment) {
        return startJoin(tool, node, List.of(), environment);
    }

    /** The same, with further flags. */
    public Running startJoin(Tool tool, Node node, List<String> flags, String... environment) {
        return node.start(
                PATIENCE,
                Stream.of(
                                environment(environment),
                                joinWords(tool, controlPlaneFlags(node)),
                                flags.stream())
                        .flatMap(Function.identity())
                        .toArray(String[]::new));
    }

    /** The words that set it; a failpoint of kjadm needs to be allowed. */
    private static Stream<String> environment(String... environment) {
        return Stream.concat(
                Stream.of("env", "KJADM_JAVA_OPTS=-Dkjadm.failpoints=true"),
                Stream.of(environment));
    }

    /** Starts a reset and does not wait for it. */
    public Running startReset(Tool tool, Node node) {
        return startReset(tool, node, List.of());
    }

    /** The same, with further flags. */
    public Running startReset(Tool tool, Node node, List<String> flags, String... environment) {
        return node.start(
                PATIENCE,
                Stream.of(
                                environment(environment),
                                Stream.of(tool.command(), "reset", "--force"),
                                flags.stream())
                        .flatMap(Function.identity())
                        .toArray(String[]::new));
    }

    /**
     * As {@link #tryJoinControlPlane}, for a node whose certificates were brought there by hand.
     */
    public Outcome tryJoinWithCopiedCertificates(Tool tool, Node node) {
        return join(
                tool,
                node,
                "control-plane, certificates by hand",
                Stream.of("--control-plane", "--apiserver-advertise-address", node.address()));
    }

    /**
     * A join whose words are all the caller's, who judges the outcome, too.
     *
     * @param environment {@code NAME=value}, such as a proxy
     * @param words that follow {@code join}
     */
    public Outcome tryJoin(Tool tool, Node node, List<String> environment, String... words) {
        var all = Stream.of(
                        Stream.of("env"),
                        environment.stream(),
                        Stream.of("timeout", COMMAND_LIMIT, tool.command(), "join"),
                        Stream.of(words),
                        Stream.of("--ignore-preflight-errors", "SystemVerification,Swap"))
                .flatMap(Function.identity());
        return timed(
                "%s join %s".formatted(tool.command(), node.name()),
                node.exec(all.toArray(String[]::new)));
    }

    /** What {@link #init} has printed for those who want to join. */
    public JoinCredentials credentials() {
        return credentials;
    }

    /** Makes anew what a join needs, as {@link #init} did: what is older may be gone. */
    public void renewCredentials() {
        renewCredentials(lab.node(1));
    }

    /** The same, on another node than the first. */
    public void renewCredentials(Node node) {
        var key = node.shell(
                "kjadm init phase upload-certs --upload-certs 2> /dev/null | grep -xE '[0-9a-f]{64}'");
        credentials = JoinCredentials.from(
                node.shell("kjadm token create --print-join-command --certificate-key " + key));
    }

    /** {@code host:port} of the API servers. */
    public String endpoint() {
        return lab.endpoint();
    }

    /** Joins a node as a worker. */
    public Outcome joinWorker(Tool tool, Node node) {
        return join(tool, node, "worker", Stream.empty()).orFail();
    }

    public Outcome reset(Tool tool, Node node) {
        return timed(
                "%s reset %s".formatted(tool.command(), node.name()),
                node.run("timeout", COMMAND_LIMIT, tool.command(), "reset", "--force"));
    }

    /**
     * Takes a node that left out of the API too, as its operator has to before it may come back. An
     * API server whose etcd was away for long is started again by its kubelet, and forbids
     * everything until it knows its roles.
     */
    public void forget(Node node) {
        forget(node, lab.node(1));
    }

    /** The same, by the API server of another node than the first. */
    public void forget(Node node, Node by) {
        Eventually.passes(SETTLING, () -> {
            try (var client = client(by)) {
                client.nodes().withName(node.name()).delete();
            }
        });
    }

    /** All etcd members, as {@code node}'s own member knows them. */
    public List<Member> members(Node node) {
        return Member.parseAll(etcdctl(node, "member list -w simple").stdout());
    }

    /** Changes the text of the stored ClusterConfiguration, as an operator does with kubectl. */
    public void configure(UnaryOperator<String> change) {
        Eventually.passes(Duration.ofMinutes(2), () -> {
            try (var client = client()) {
                var maps = client.configMaps().inNamespace("kube-system");
                var map = maps.withName("kubeadm-config").get();
                map.getData()
                        .computeIfPresent(
                                "ClusterConfiguration", (key, text) -> change.apply(text));
                // not edit(): the stand-in knows no JSON patches
                maps.resource(map).update();
            }
        });
    }

    /** Runs etcdctl against the member of {@code node}, with the server's certificates. */
    public Outcome etcdctl(Node node, String arguments) {
        return tryEtcdctl(node, arguments).orFail();
    }

    /**
     * The ID of the etcd cluster that a client of {@code node}'s own member reads and writes; empty
     * if no member runs there, or it has no leader.
     */
    public Optional<String> servedBy(Node node) {
        if (!tryEtcdctl(node, "endpoint health").succeeded()) {
            return Optional.empty();
        }
        return etcdctl(node, "endpoint status -w fields")
                .stdout()
                .lines()
                .filter(line -> line.startsWith("\"ClusterID\" : "))
                .map(line -> line.substring(line.indexOf(": ") + 2).strip())
                .findFirst();
    }

    /** The ID of the member that leads, as {@code node}'s own member knows it. */
    public String leader(Node node) {
        return Member.leader(etcdctl(node, "endpoint status -w fields").stdout());
    }

    /** The name of the node whose member leads, as {@code node}'s own member knows it. */
    public String leadingNode(Node node) {
        var leader = leader(node);
        return members(node).stream()
                .filter(member -> member.id().equals(leader))
                .findFirst()
                .map(Member::name)
                .orElse("");
    }

    /** Whether {@code node}'s own member leads. */
    public boolean leads(Node node) {
        return leadingNode(node).equals(node.name());
    }

    /** As {@link #etcdctl}, but whoever calls judges the outcome. */
    public Outcome tryEtcdctl(Node node, String arguments) {
        return node.exec("bash", "-c", """
                cd /etc/kubernetes/pki/etcd && ETCDCTL_API=3 etcdctl --cacert ca.crt --cert peer.crt --key peer.key \
                    --endpoints https://%s --command-timeout 10s %s 2>/dev/null
                """.formatted(node.at(2379), arguments));
    }

    /** Asserts that exactly {@code nodes} have an etcd member, and that each of them votes. */
    public void assertVoters(Node... nodes) {
        var members = members(nodes[0]);
        assertEquals(
                names(nodes),
                members.stream().map(Member::name).collect(Collectors.toSet()),
                members::toString);
        assertTrue(members.stream().noneMatch(Member::learner), members::toString);
    }

    /** Waits until exactly {@code nodes} are in the cluster and ready. */
    public void awaitReady(Node... nodes) {
        try (var client = client()) {
            Eventually.passes(SETTLING, () -> {
                var found = client.nodes().list().getItems();
                assertEquals(
                        names(nodes),
                        found.stream()
                                .map(node -> node.getMetadata().getName())
                                .collect(Collectors.toSet()));
                var notReady = found.stream()
                        .filter(node -> node.getStatus().getConditions().stream()
                                .noneMatch(condition -> condition.getType().equals("Ready")
                                        && condition.getStatus().equals("True")))
                        .map(node -> node.getMetadata().getName())
                        .toList();
                assertEquals(List.of(), notReady, "nodes that are not ready");
            });
        } catch (AssertionError e) {
            Stream.of(nodes)
                    .forEach(node ->
                            System.out.println("[lab] logs of " + node + ":\n" + node.logs()));
            throw e;
        }
    }

    /** Waits until the static pods of each of {@code nodes} are ready. */
    public void awaitControlPlanePods(Node... nodes) {
        var expected = Stream.of(nodes)
                .flatMap(node -> components().stream().map(name -> name + "-" + node.name()))
                .collect(Collectors.toSet());
        try (var client = client()) {
            Eventually.passes(SETTLING, () -> {
                var missing = new ArrayList<>(expected);
                client.pods().inNamespace("kube-system").list().getItems().stream()
                        .filter(Cluster::ready)
                        .forEach(pod -> missing.remove(pod.getMetadata().getName()));
                assertEquals(
                        List.of(), missing, "control-plane pods that are missing or not ready");
            });
        }
    }

    /** A client with the rights of {@code admin.conf}, talking to the API server of node 1. */
    public KubernetesClient client() {
        return client(lab.node(1));
    }

    public KubernetesClient client(Node node) {
        var config = Config.fromKubeconfig(node.read("/etc/kubernetes/admin.conf"));
        config.setMasterUrl("https://" + node.at(6443) + "/");
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    /** Writes through the balancer, as {@link Writer#on(Node, int)} does through a member. */
    public Writer apiWriter(int perSecond) {
        return Writer.to(
                new ApiTarget(
                        lab.node(1).read("/etc/kubernetes/admin.conf"), lab.balancer() + ":6443"),
                perSecond);
    }

    private List<String> components() {
        var own = List.of("kube-apiserver", "kube-controller-manager", "kube-scheduler");
        return settings.etcd().isPresent()
                ? own
                : Stream.concat(Stream.of("etcd"), own.stream()).toList();
    }

    private Outcome join(Tool tool, Node node, String role, Stream<String> more) {
        var words = Stream.concat(Stream.of("timeout", COMMAND_LIMIT), joinWords(tool, more));
        return timed(
                "%s join %s as %s".formatted(tool.command(), node.name(), role),
                node.exec(words.toArray(String[]::new)));
    }

    private Stream<String> joinWords(Tool tool, Stream<String> more) {
        return Stream.concat(
                Stream.of(
                        tool.command(),
                        "join",
                        lab.endpoint(),
                        "--token",
                        credentials.token(),
                        "--discovery-token-ca-cert-hash",
                        credentials.caCertHash(),
                        "--ignore-preflight-errors",
                        "SystemVerification,Swap"),
                more);
    }

    private Stream<String> controlPlaneFlags(Node node) {
        return Stream.of(
                "--control-plane",
                "--certificate-key",
                credentials.certificateKey(),
                "--apiserver-advertise-address",
                node.address());
    }

    private static boolean ready(Pod pod) {
        return pod.getStatus().getConditions().stream()
                .anyMatch(condition -> condition.getType().equals("Ready")
                        && condition.getStatus().equals("True"));
    }

    private static Outcome timed(String what, Outcome outcome) {
        System.out.printf(
                "[lab] %s: %.1f s, exit status %d%n",
                what, outcome.took().toMillis() / 1000.0, outcome.status());
        return outcome;
    }

    private static Set<String> names(Node... nodes) {
        return Stream.of(nodes).map(Node::name).collect(Collectors.toSet());
    }

    private static String[] words(Stream<String> first, String... more) {
        return Stream.concat(first, Stream.of(more)).toArray(String[]::new);
    }
}
