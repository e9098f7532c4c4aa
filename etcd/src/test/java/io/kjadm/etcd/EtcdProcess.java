package io.kjadm.etcd;

import io.kjadm.etcd.join.NewMember;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A real etcd server on the loopback interface. */
public final class EtcdProcess implements AutoCloseable {

    /** The files of its write-ahead log stay, so that its whole life can be read in the end. */
    public static final String WHOLE_LOG = "--max-wals=0";

    private static final int FIRST_PORT = 20_000;
    private static final int PORTS = 12_000;
    private static final AtomicInteger NEXT_PORT =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(PORTS));

    private final EtcdBinary binary;
    private final Path folder;
    private final String name;
    private final URI peerUrl;
    private final URI clientUrl;
    private final List<String> more;
    private Process process;

    private EtcdProcess(
            EtcdBinary binary,
            Path folder,
            String name,
            URI peerUrl,
            URI clientUrl,
            List<String> more) {
        this.binary = binary;
        this.folder = folder;
        this.name = name;
        this.peerUrl = peerUrl;
        this.clientUrl = clientUrl;
        this.more = more;
    }

    static EtcdProcess first(EtcdBinary binary, Path folder, String name) {
        URI peer = freeUrl();
        return new EtcdProcess(
                binary,
                folder,
                name,
                peer,
                freeUrl(),
                List.of("--initial-cluster=" + name + "=" + peer));
    }

    /** The voters of a new cluster, which have to be started together. */
    public static List<EtcdProcess> together(
            EtcdBinary binary, Path folder, Map<String, URI> peerUrls) {
        String list = peerUrls.entrySet().stream()
                .map(voter -> voter.getKey() + "=" + voter.getValue())
                .collect(Collectors.joining(","));
        return peerUrls.entrySet().stream()
                .map(voter -> new EtcdProcess(
                        binary,
                        folder,
                        voter.getKey(),
                        voter.getValue(),
                        freeUrl(),
                        List.of("--initial-cluster=" + list)))
                .toList();
    }

    public static EtcdProcess joining(
            EtcdBinary binary, Path folder, NewMember wanted, List<Member> members) {
        String list = members.stream()
                .flatMap(member -> member.peerUrls().stream()
                        .map(url -> (url.equals(wanted.peerUrl()) ? wanted.name() : member.label())
                                + "=" + url))
                .collect(Collectors.joining(","));
        return new EtcdProcess(
                binary,
                folder,
                wanted.name(),
                wanted.peerUrl(),
                freeUrl(),
                List.of("--initial-cluster=" + list, "--initial-cluster-state=existing"));
    }

    static EtcdProcess withTls(EtcdBinary binary, Path folder, TlsFiles tls, String host) {
        URI peer = freeUrl();
        URI client = EtcdUrls.of("https", host, freeUrl().getPort());
        // etcd listens on addresses only
        String listen = host.equals("localhost") ? "127.0.0.1" : host;
        return new EtcdProcess(
                binary,
                folder,
                "cp-1",
                peer,
                client,
                List.of(
                        "--initial-cluster=cp-1=" + peer,
                        "--client-cert-auth=true",
                        "--listen-client-urls=" + EtcdUrls.of("https", listen, client.getPort()),
                        "--trusted-ca-file=" + tls.ca(),
                        "--cert-file=" + tls.cert(),
                        "--key-file=" + tls.key()));
    }

    /** The same with further flags, which take the place of those of the same name. */
    public EtcdProcess with(String... flags) {
        return new EtcdProcess(
                binary,
                folder,
                name,
                peerUrl,
                clientUrl,
                Stream.concat(more.stream(), Stream.of(flags)).toList());
    }

    /** The same member with its data, run by another program. */
    public EtcdProcess by(EtcdBinary other, List<String> flags) {
        return new EtcdProcess(other, folder, name, peerUrl, clientUrl, flags);
    }

    /** What it is started with beside its name, its data and its URLs. */
    public List<String> flags() {
        return more;
    }

    public EtcdBinary binary() {
        return binary;
    }

    public String name() {
        return name;
    }

    /**
     * Below the ports that clients get: one that is free now would soon be some connection's. Each is
     * returned once in a run: it stays free until its process listens, and tests run side by side.
     */
    public static URI freeUrl() {
        while (true) {
            int port = FIRST_PORT + NEXT_PORT.getAndIncrement() % PORTS;
            try (var socket = new ServerSocket(port, 1, InetAddress.ofLiteral("127.0.0.1"))) {
                return EtcdUrls.of("http", "127.0.0.1", socket.getLocalPort());
            } catch (BindException e) {
                // taken: the next one
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    public URI clientUrl() {
        return clientUrl;
    }

    public URI peerUrl() {
        return peerUrl;
    }

    public void start() throws IOException {
        Files.createDirectories(folder);
        List<String> command = new ArrayList<>(List.of(
                binary.file().toString(),
                "--name=" + name,
                "--data-dir=" + dataDir(),
                "--listen-peer-urls=" + peerUrl,
                "--initial-advertise-peer-urls=" + peerUrl,
                "--listen-client-urls=" + clientUrl,
                "--advertise-client-urls=" + clientUrl));
        more.forEach(
                flag -> command.removeIf(other -> other.startsWith(flag.split("=", 2)[0] + "=")));
        command.addAll(more);
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log().toFile())
                .start();
    }

    /** Whether it was started and has not ended. */
    public boolean alive() {
        return process != null && process.isAlive();
    }

    public Path dataDir() {
        return folder.resolve(name);
    }

    /** What it has written to its output. */
    public Path log() {
        return folder.resolve(name + ".log");
    }

    /** The last five lines of its output. */
    String lastLines() {
        try {
            List<String> lines = Files.readAllLines(log());
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 5), lines.size()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Asks it to end, and waits; the data stays, and it can be started again. */
    public void stop() {
        stop(List.of(this));
    }

    /** The same of several: one that stops alone first waits for another one to lead. */
    public static void stop(Collection<EtcdProcess> all) {
        all.forEach(each -> each.process.destroy());
        all.forEach(each -> each.process.onExit().join());
    }

    /** It stands still, as on a machine that hangs, until {@link #resume}. */
    public void suspend() throws IOException {
        signal("STOP");
    }

    /** Undoes {@link #suspend}. */
    public void resume() throws IOException {
        signal("CONT");
    }

    private void signal(String name) throws IOException {
        new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                .inheritIO()
                .start()
                .onExit()
                .join();
    }

    /** Kills it; the data stays, and it can be started again. */
    @Override
    public void close() {
        if (alive()) {
            process.destroyForcibly().onExit().join();
        }
    }
}
