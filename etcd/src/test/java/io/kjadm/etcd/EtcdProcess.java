package io.kjadm.etcd;

import io.kjadm.etcd.join.NewMember;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A real etcd server on the loopback interface. */
final class EtcdProcess implements AutoCloseable {

    private final EtcdBinary binary;
    private final Path folder;
    private final String name;
    private final URI peerUrl;
    private final URI clientUrl;
    private final List<String> more;
    private Process process;

    private EtcdProcess(EtcdBinary binary, Path folder, String name, URI peerUrl, URI clientUrl, List<String> more) {
        this.binary = binary;
        this.folder = folder;
        this.name = name;
        this.peerUrl = peerUrl;
        this.clientUrl = clientUrl;
        this.more = more;
    }

    static EtcdProcess first(EtcdBinary binary, Path folder, String name) {
        URI peer = freeUrl();
        return new EtcdProcess(binary, folder, name, peer, freeUrl(),
                List.of("--initial-cluster=" + name + "=" + peer));
    }

    static EtcdProcess joining(EtcdBinary binary, Path folder, NewMember wanted, List<Member> members) {
        String list = members.stream().flatMap(member -> member.peerUrls().stream()
                        .map(url -> (url.equals(wanted.peerUrl()) ? wanted.name() : member.label()) + "=" + url))
                .collect(Collectors.joining(","));
        return new EtcdProcess(binary, folder, wanted.name(), wanted.peerUrl(), freeUrl(),
                List.of("--initial-cluster=" + list, "--initial-cluster-state=existing"));
    }

    static EtcdProcess withTls(EtcdBinary binary, Path folder, TlsFiles tls, String host) {
        URI peer = freeUrl();
        URI client = EtcdUrls.of("https", host, freeUrl().getPort());
        // etcd listens on addresses only
        String listen = host.equals("localhost") ? "127.0.0.1" : host;
        return new EtcdProcess(binary, folder, "cp-1", peer, client, List.of(
                "--initial-cluster=cp-1=" + peer, "--client-cert-auth=true",
                "--listen-client-urls=" + EtcdUrls.of("https", listen, client.getPort()),
                "--trusted-ca-file=" + tls.ca(), "--cert-file=" + tls.cert(), "--key-file=" + tls.key()));
    }

    static URI freeUrl() {
        try (var socket = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            return EtcdUrls.of("http", "127.0.0.1", socket.getLocalPort());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    URI clientUrl() {
        return clientUrl;
    }

    URI peerUrl() {
        return peerUrl;
    }

    void start() throws IOException {
        Files.createDirectories(folder);
        List<String> command = new ArrayList<>(List.of(binary.file().toString(), "--name=" + name,
                "--data-dir=" + folder.resolve(name), "--listen-peer-urls=" + peerUrl,
                "--initial-advertise-peer-urls=" + peerUrl, "--listen-client-urls=" + clientUrl,
                "--advertise-client-urls=" + clientUrl));
        more.stream().filter(argument -> argument.startsWith("--listen-client-urls=")).findFirst()
                .ifPresent(argument -> command.removeIf(other -> other.startsWith("--listen-client-urls=")));
        command.addAll(more);
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(name + ".log").toFile())
                .start();
    }

    @Override
    public void close() throws InterruptedException {
        if (process != null && process.isAlive()) {
            process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        }
    }
}
