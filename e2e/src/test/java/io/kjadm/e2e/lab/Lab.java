package io.kjadm.e2e.lab;

import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Network.Ipam;
import com.github.dockerjava.api.model.Volume;

import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.output.OutputFrame;
import org.testcontainers.containers.wait.strategy.LogMessageWaitStrategy;
import org.testcontainers.utility.DockerImageName;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A network of its own with some nodes and, in front of their API servers, a balancer called
 * {@code control-plane}. Closing a lab removes all of it.
 */
public final class Lab implements AutoCloseable {
    private static final int BALANCER = 5;
    private static final int FIRST_NODE = 11;
    private static final Duration START_LIMIT = Duration.ofSeconds(120);
    /** A folder that all nodes share. */
    public static final String SHARED = "/srv/shared";

    private final String networkId;
    private final Addresses addresses;
    private final List<Node> nodes = new ArrayList<>();
    private final List<GenericContainer<?>> others = new ArrayList<>();
    private final Thread atExit = new Thread(this::removeAll);

    private Lab(String networkId, Addresses addresses) {
        this.networkId = networkId;
        this.addresses = addresses;
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /** Starts {@code count} nodes; they are ready for use when this returns. */
    public static Lab withNodes(int count) {
        return withNodes(count, KubeVersions.standard(), Addresses.Ipv4::new);
    }

    /** As {@link #withNodes(int)}, with these versions of Kubernetes. */
    public static Lab withNodes(int count, KubeVersions versions) {
        return withNodes(count, versions, Addresses.Ipv4::new);
    }

    /** As {@link #withNodes(int)}, with nodes that are known by their IPv6 addresses. */
    public static Lab withIpv6Nodes(int count) {
        return withNodes(count, KubeVersions.standard(), Addresses.Ipv6::new);
    }

    private static Lab withNodes(
            int count, KubeVersions versions, IntFunction<Addresses> numbering) {
        Leftovers.sweepOnce();
        var image = NodeImage.name(versions);
        var lab = newNetwork(numbering);
        try {
            lab.startBalancer(image, count);
            IntStream.range(0, count)
                    .parallel()
                    .mapToObj(i -> lab.startNode(image, i, versions.installed()))
                    .toList()
                    .forEach(lab.nodes::add);
            return lab;
        } catch (RuntimeException | Error e) {
            lab.close();
            throw e;
        }
    }

    /** The {@code i}th node, counted from 1 as in its name. */
    public Node node(int i) {
        return nodes.get(i - 1);
    }

    public List<Node> nodes() {
        return List.copyOf(nodes);
    }

    /** The address of the balancer, which answers as {@code control-plane} within the lab. */
    public String balancer() {
        return addresses.of(BALANCER);
    }

    /** The control-plane endpoint, {@code host:port}: the balancer's. */
    public String endpoint() {
        return "control-plane:6443";
    }

    @Override
    public void close() {
        removeAll();
        Runtime.getRuntime().removeShutdownHook(atExit);
    }

    private void removeAll() {
        nodes.parallelStream().forEach(node -> node.container().stop());
        others.forEach(GenericContainer::stop);
        try {
            DockerClientFactory.instance().client().removeVolumeCmd(shared()).exec();
            DockerClientFactory.instance().client().removeNetworkCmd(networkId).exec();
        } catch (DockerException e) {
            System.out.println("[lab] the network or its volume stays: " + e.getMessage());
        }
    }

    private static Lab newNetwork(IntFunction<Addresses> numbering) {
        var docker = DockerClientFactory.instance().client();
        for (int i = 0; i < 250; i++) {
            var addresses = numbering.apply(i);
            try {
                var id = docker.createNetworkCmd()
                        .withName("kjadm-e2e-" + ProcessHandle.current().pid() + "-" + i)
                        .withLabels(labels())
                        .withEnableIpv6(addresses instanceof Addresses.Ipv6)
                        .withIpam(new Ipam()
                                .withConfig(new Ipam.Config().withSubnet(addresses.subnet())))
                        .exec()
                        .getId();
                return new Lab(id, addresses);
            } catch (DockerException taken) {
                // The next one, then: another lab, or the machine itself, uses these addresses.
            }
        }
        throw new IllegalStateException("no free network was found for the lab");
    }

    private static Map<String, String> labels() {
        return Map.of(
                "io.kjadm.e2e",
                "test",
                Leftovers.OWNER,
                String.valueOf(ProcessHandle.current().pid()));
    }

    private Node startNode(String image, int i, String kubernetes) {
        var name = "node" + (i + 1);
        var container = container(image, name, FIRST_NODE + i)
                .withPrivilegedMode(true)
                .withTmpFs(Map.of("/run", "", "/tmp", "exec"))
                .withEnv("KJADM_NODE_INDEX", String.valueOf(i + 1))
                .withEnv("KUBE_VERSION", kubernetes)
                .withExtraHost("control-plane", addresses.of(BALANCER))
                .waitingFor(new LogMessageWaitStrategy()
                        .withRegEx("(?s).*\\[node\\] ready.*")
                        .withStartupTimeout(START_LIMIT))
                .withCreateContainerCmdModifier(this::asMachine);
        container.start();
        var node = new Node(name, addresses.of(FIRST_NODE + i), container);
        node.shell(
                "ln -sfn /opt/kjadm-dist/kjadm /opt/kjadm && ln -sfn /opt/kjadm/bin/kjadm /usr/local/bin/kjadm");
        return node;
    }

    /**
     * What makes the container a machine: its own cgroup root, volumes where mounts are layered,
     * our program.
     */
    private void asMachine(CreateContainerCmd command) {
        var binds = new ArrayList<Bind>();
        binds.add(Bind.parse(distribution() + ":/opt/kjadm-dist:ro"));
        binds.add(Bind.parse(shared() + ":" + SHARED));
        if (Files.isDirectory(Path.of("/lib/modules"))) {
            binds.add(Bind.parse("/lib/modules:/lib/modules:ro"));
        }
        if (Components.atHand() == Components.SANDBOX) {
            binds.addAll(SandboxBinds.all());
        }
        command.getHostConfig().withCgroupnsMode("private").withBinds(binds);
        command.withVolumes(
                new Volume("/var/lib/containerd"),
                new Volume("/var/lib/kubelet"),
                new Volume("/var/lib/etcd"));
    }

    /** A volume of the engine, which goes with the lab. */
    private String shared() {
        return "kjadm-e2e-shared-" + networkId.substring(0, 12);
    }

    /** The folder that holds the {@code kjadm} folder under test. */
    public static Path distribution() {
        var chosen = System.getenv("KJADM_DIST");
        return chosen != null ? Path.of(chosen).toAbsolutePath() : Checkout.folder("cli/target");
    }

    private void startBalancer(String image, int count) {
        // a stand-in spends more on a look than a real API server, and has half a machine for all
        var looks = Components.atHand() == Components.SANDBOX
                ? "inter 2s fastinter 500 downinter 1s"
                : "inter 500";
        var servers = IntStream.range(0, count)
                .mapToObj(i ->
                        "  server node%d %s:6443 check check-ssl verify none %s fall 2 rise 1%n"
                                .formatted(i + 1, addresses.of(FIRST_NODE + i), looks))
                .collect(Collectors.joining());
        var balancer = container(image, "balancer", BALANCER)
                .withEnv("BALANCER", """
                        defaults
                          mode tcp
                          timeout connect 5s
                          timeout client 1h
                          timeout server 1h
                        frontend api
                          bind :::6443 v4v6
                          default_backend servers
                        backend servers
                          option httpchk GET /readyz
                        """ + servers)
                .withCommand(
                        "sh",
                        "-c",
                        "echo \"$BALANCER\" > /tmp/haproxy.cfg && exec haproxy -f /tmp/haproxy.cfg");
        others.add(balancer);
        balancer.start();
    }

    @SuppressWarnings("resource") // stopped by removeAll
    private GenericContainer<?> container(String image, String name, int address) {
        return new GenericContainer<>(DockerImageName.parse(image))
                .withLabels(labels())
                .withLogConsumer(frame -> show(name, frame))
                .withCreateContainerCmdModifier(command -> {
                    command.withHostName(name);
                    addresses.assign(command, address);
                    command.getHostConfig().withNetworkMode(networkId);
                });
    }

    private static void show(String name, OutputFrame frame) {
        var line = frame.getUtf8StringWithoutLineEnding();
        if (Boolean.getBoolean("kjadm.lab.verbose") && !line.isBlank()) {
            System.out.println("[" + name + "] " + line);
        }
    }
}
