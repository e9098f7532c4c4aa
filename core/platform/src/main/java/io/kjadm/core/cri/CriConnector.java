package io.kjadm.core.cri;

import io.kjadm.core.error.HostException;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Connects over gRPC; its classes are loaded by the first {@link #connect}. */
public final class CriConnector implements RuntimeConnector, AutoCloseable {

    private final Map<String, CriRuntime> runtimes = new HashMap<>();

    @Override
    public synchronized ContainerRuntime connect(String criSocket) {
        return runtimes.computeIfAbsent(criSocket, socket -> new CriRuntime(pathOf(socket)));
    }

    /** The file behind a CRI endpoint. */
    static Path pathOf(String criSocket) {
        String path = criSocket.replaceFirst("^unix:(//)?", "");
        if (!path.startsWith("/")) {
            throw new HostException(
                    "cannot connect to container runtime endpoint \"%s\"".formatted(criSocket),
                    "only unix sockets with an absolute path are supported",
                    "set criSocket to unix:// and the path of the runtime's socket");
        }
        return Path.of(path);
    }

    @Override
    public boolean canConnect(Path socket) {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return channel.connect(UnixDomainSocketAddress.of(socket));
        } catch (IOException nobodyThere) {
            return false;
        }
    }

    @Override
    public synchronized void close() {
        runtimes.values().forEach(CriRuntime::close);
        runtimes.clear();
    }
}
