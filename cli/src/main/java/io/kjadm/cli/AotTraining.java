package io.kjadm.cli;

import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ProgramName;
import io.kjadm.cli.console.ProgramVersion;
import io.kjadm.core.cri.CriConnector;
import io.kjadm.core.error.HostException;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.JetcdConnector;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What the build runs to train the AOT caches {@code print}, {@code files} and {@code work}: the
 * common commands, in a folder and against a cluster on the loopback, without touching the machine.
 * Nothing here is used on a node; but the JVM refuses a cache whose class path is longer than the
 * launcher's, so it is in the program's jar.
 */
public final class AotTraining {

    /** These would wait for the API server of a node that is none. */
    private static final String SKIPPED = "--skip-phases=kubelet-wait-bootstrap,wait-control-plane";

    private AotTraining() {}

    /**
     * @param arguments the cache's name, an empty folder, and for {@code work} the folder with the
     *         configuration of the cluster, if there is one
     */
    public static void main(String[] arguments) {
        if (arguments[0].equals("print")) {
            print();
            System.exit(0);
        }
        if (arguments[0].equals("files")) {
            files(Path.of(arguments[1]));
            automatic(Path.of(arguments[1]));
            System.exit(0);
        }
        if (arguments.length > 2) {
            attempt(() -> runAll(Path.of(arguments[2])));
        } else {
            System.err.println("left out of the AOT cache: there is no cluster to train with");
        }
        attempt(() -> run(
                0,
                List.of(
                        "init",
                        "--dry-run",
                        "--upload-certs",
                        "--skip-phases=preflight",
                        "--kubernetes-version=" + ProgramVersion.current().kubernetes())));
        attempt(() -> run(1, List.of("etcd", "status", "--endpoints", "http://127.0.0.1:1")));
        attempt(AotTraining::withoutServer);
        System.exit(0);
    }

    private static void print() {
        for (ProgramName name : ProgramName.values()) {
            System.setProperty(ProgramName.PROPERTY, name.toString());
            run(0, List.of("version"));
            run(0, List.of("version", "-o", "short"));
            run(0, List.of("version", "-o", "json"));
        }
    }

    /** What needs nothing but the machine's own files, for those who run phase by phase. */
    private static void files(Path folder) {
        String config = "--config="
                + write(folder.resolve("init.yaml"), """
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: InitConfiguration
                localAPIEndpoint: {advertiseAddress: 192.0.2.10}
                nodeRegistration: {name: cp-1, criSocket: "unix:///absent.sock"}
                ---
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                certificatesDir: %s
                controlPlaneEndpoint: 192.0.2.10:6443
                kubernetesVersion: %s
                """.formatted(
                                folder.resolve("pki"), ProgramVersion.current().kubernetes()));
        for (ProgramName name : ProgramName.values()) {
            System.setProperty(ProgramName.PROPERTY, name.toString());
            Path requests = folder.resolve("requests-" + name);
            for (String words : List.of(
                    "init phase certs all " + config,
                    "init phase certs apiserver " + config,
                    "init phase kubeconfig all %s --kubeconfig-dir=%s".formatted(config, folder),
                    "init phase kubelet-start --dry-run " + config,
                    "init phase control-plane all --dry-run " + config,
                    "init phase etcd local --dry-run " + config,
                    "certs check-expiration " + config,
                    "certs check-expiration -o json " + config,
                    "certs renew apiserver " + config,
                    "certs certificate-key",
                    "certs generate-csr %s --cert-dir=%s --kubeconfig-dir=%s"
                            .formatted(config, requests, requests),
                    "kubeconfig user --client-name=user " + config,
                    "token generate",
                    "config validate " + config,
                    "config migrate " + config.replace("--config", "--old-config"),
                    "config images list " + config,
                    "config images list",
                    "config print init-defaults",
                    "completion bash",
                    "--help")) {
                attempt(() -> run(0, List.of(words.split(" "))));
            }
        }
    }

    /** What a start of etcd waits for on a machine in automatic mode. */
    private static void automatic(Path folder) {
        Path store = folder.resolve("store");
        String token = "--token-file=" + folder.resolve("token");
        attempt(() -> run(0, List.of("etcd", "seed", store.toString(), "nodes=3", token)));
        attempt(() -> run(0, List.of("etcd", "auto", "status", store.toString(), token)));
        attempt(() -> run(1, List.of("etcd", "auto", "check", token)));
    }

    private static void runAll(Path cluster) {
        String ignored = "--ignore-preflight-errors=all";
        String kubeconfig = "--kubeconfig=" + cluster.resolve("admin.conf");
        run(
                0,
                List.of(
                        "init",
                        "--dry-run",
                        "--upload-certs",
                        ignored,
                        "--config=" + cluster.resolve("init.yaml")));
        run(
                0,
                List.of(
                        "join",
                        "--dry-run",
                        "--ask-cluster",
                        ignored,
                        SKIPPED,
                        "--config=" + cluster.resolve("join.yaml")));
        run(0, List.of("reset", "--dry-run", kubeconfig, "--cri-socket=" + text(cluster, "cri")));
        run(0, List.of("token", "list", kubeconfig));
        run(0, List.of("token", "create", "--print-join-command", kubeconfig));
        run(
                0,
                List.of(
                        "etcd",
                        "status",
                        "--endpoints=" + text(cluster, "etcd"),
                        "--cert-dir=" + cluster.resolve("pki")));
    }

    private static Path write(Path file, String text) {
        try {
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(Path folder, String file) {
        try {
            return Files.readString(folder.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * What needs an address or a network is left out of the cache where there is none; nothing
     * depends on it.
     */
    private static void attempt(Runnable part) {
        try {
            part.run();
        } catch (RuntimeException e) {
            System.err.println("left out of the AOT cache: " + e);
        }
    }

    /** Loads the gRPC clients, by calls that nobody answers. */
    private static void withoutServer() {
        try (EtcdCluster etcd = new JetcdConnector()
                .connect(EtcdAccess.plain(List.of(URI.create("http://127.0.0.1:1"))))) {
            etcd.members();
        } catch (EtcdCallException expected) {
            // The call has loaded its classes, and this is all that it was for; the next one too.
        }
        try (CriConnector runtimes = new CriConnector()) {
            runtimes.connect("unix:///absent.sock").version();
        } catch (HostException expected) {
            // as above
        }
    }

    /** @param expected exit status; a command that asks somebody has nobody to ask here */
    private static void run(int expected, List<String> command) {
        PrintStream nowhere =
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
        int status =
                new Main(new Console(nowhere, nowhere, false)).run(command.toArray(String[]::new));
        if (status != expected) {
            throw new IllegalStateException(
                    "training with " + command + " ended with status " + status);
        }
    }
}
