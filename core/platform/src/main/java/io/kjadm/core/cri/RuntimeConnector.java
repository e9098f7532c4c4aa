package io.kjadm.core.cri;

import java.nio.file.Path;

/** Finds the container runtime behind a socket. */
public interface RuntimeConnector {

    /**
     * The runtime behind a CRI socket. Nothing is asked yet, so this succeeds without one;
     * connecting again to the same socket gives the same object.
     *
     * @param criSocket {@code unix://} and an absolute path, or only the path
     * @throws io.kjadm.core.error.HostException if it is no unix socket
     */
    ContainerRuntime connect(String criSocket);

    /** Whether somebody accepts connections at the socket file. */
    boolean canConnect(Path socket);
}
