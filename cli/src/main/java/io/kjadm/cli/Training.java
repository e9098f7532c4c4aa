package io.kjadm.cli;

import io.kjadm.core.cri.CriConnector;
import io.kjadm.core.error.HostException;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.JetcdConnector;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What the build runs to train the AOT caches {@code print} and {@code work}: the common commands,
 * without touching the machine. Nothing here is used on a node.
 */
final class Training {

    private Training() {}

    public static void main(String[] arguments) {
        if (arguments[0].equals("print")) {
            run(0, List.of("version"));
            run(0, List.of("version", "-o", "json"));
            System.exit(0);
        }
        attempt(() ->
                run(0, List.of("init", "--dry-run", "--upload-certs", "--skip-phases=preflight",
                        "--kubernetes-version=" + ProgramVersion.current().kubernetes())));
        attempt(() -> run(1, List.of("etcd", "status", "--endpoints", "http://127.0.0.1:1")));
        attempt(Training::askNobody);
        System.exit(0);
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
    private static void askNobody() {
        try (EtcdCluster etcd = new JetcdConnector()
                .connect(EtcdAccess.plain(List.of(URI.create("http://127.0.0.1:1"))))) {
            etcd.members();
        } catch (EtcdCallException expected) {
            // The call has loaded its classes, and this is all that it was for; the next one too.
        }
        try (CriConnector runtimes = new CriConnector()) {
            runtimes.connect("unix:///nobody.sock").version();
        } catch (HostException expected) {
            // as above
        }
    }

    /** @param expected exit status; a command that asks somebody has nobody to ask here */
    private static void run(int expected, List<String> command) {
        PrintStream nowhere = new PrintStream(new ByteArrayOutputStream(), true,
                StandardCharsets.UTF_8);
        int status = new Main(new Console(nowhere, nowhere, false))
                .run(command.toArray(String[]::new));
        if (status != expected) {
            throw new IllegalStateException("training with " + command + " ended with status "
                    + status);
        }
    }
}
