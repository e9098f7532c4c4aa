package io.kjadm.e2e.lab;

import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.MountableFile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** One machine of a lab. */
public final class Node {
    /** The manifest of a stacked etcd. */
    public static final String ETCD_MANIFEST = "/etc/kubernetes/manifests/etcd.yaml";

    private final String name;
    private final String address;
    private final GenericContainer<?> container;

    Node(String name, String address, GenericContainer<?> container) {
        this.name = name;
        this.address = address;
        this.container = container;
    }

    /** The host name, which is also the name of the Kubernetes node. */
    public String name() {
        return name;
    }

    /** The address on the lab's network. */
    public String address() {
        return address;
    }

    /** {@code host:port} with the brackets an IPv6 address needs. */
    public String at(int port) {
        return (ipv6() ? "[" + address + "]" : address) + ":" + port;
    }

    public boolean ipv6() {
        return address.contains(":");
    }

    /** Runs a command and waits for it, whatever its exit status. */
    public Outcome exec(String... command) {
        var started = System.nanoTime();
        try {
            ExecResult result = container.execInContainer(command);
            return new Outcome(
                    name + "$ " + String.join(" ", command),
                    result.getExitCode(),
                    result.getStdout(),
                    result.getStderr(),
                    Duration.ofNanos(System.nanoTime() - started));
        } catch (IOException e) {
            throw new IllegalStateException(
                    "could not run %s in %s".formatted(List.of(command), name), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(
                    "interrupted while running %s in %s".formatted(List.of(command), name), e);
        }
    }

    /** Starts a command and does not wait for it; after {@code limit} it is ended. */
    public Running start(Duration limit, String... command) {
        return Running.start(this, limit, command);
    }

    /** Runs a command that has to succeed. */
    public Outcome run(String... command) {
        return exec(command).orFail();
    }

    /**
     * Runs a shell script that has to succeed, and returns its standard output without surrounding
     * space.
     */
    public String shell(String script) {
        return run("bash", "-c", script).stdout().strip();
    }

    public boolean exists(String path) {
        return exec("test", "-e", path).succeeded();
    }

    public String read(String path) {
        return run("cat", path).stdout();
    }

    /** Copies a folder of this machine, with its modes. */
    public void copy(Path folder, String path) {
        container.copyFileToContainer(MountableFile.forHostPath(folder), path);
    }

    /** Copies a file to this machine. */
    public void fetch(String path, Path to) {
        try {
            container.copyFileFromContainer(path, to.toString());
        } catch (RuntimeException e) {
            throw new IllegalStateException("could not copy %s of %s".formatted(path, name), e);
        }
    }

    /** Writes a file for root alone; missing folders are made. */
    public void write(String path, String text) {
        shell("mkdir -p \"$(dirname '%s')\"".formatted(path));
        container.copyFileToContainer(
                Transferable.of(text.getBytes(StandardCharsets.UTF_8), 0600), path);
    }

    /**
     * Replaces every etcd image of this node by one without an etcd in it, so that no etcd pod can
     * start here. The images are still present by name, as preflight wants. In the sandbox a mark
     * stands for that.
     */
    public void breakEtcd() {
        run("/kjadm/etcd-image", "break");
    }

    /** The same for the image with one tag. */
    public void breakEtcd(String tag) {
        run("/kjadm/etcd-image", "break", tag);
    }

    /** Undoes {@link #breakEtcd}. */
    public void mendEtcd() {
        run("/kjadm/etcd-image", "mend");
    }

    /** Drops packets, in both directions, that match this part of an iptables rule. */
    public void block(String match) {
        shell("""
                iptables -N FAULTS 2> /dev/null && iptables -I INPUT -j FAULTS && iptables -I OUTPUT -j FAULTS
                iptables -A FAULTS %s -j DROP""".formatted(match));
    }

    /** Undoes every {@link #block}. */
    public void unblock() {
        exec("iptables", "-F", "FAULTS");
    }

    /** Takes everything of Kubernetes and etcd away with main force, asking nobody. */
    public void wipe() {
        shell("""
                systemctl stop kubelet
                pkill -9 'etcd|kube-' ; ctr -n k8s.io tasks ls -q | xargs -r ctr -n k8s.io tasks kill -s KILL
                sleep 1
                ctr -n k8s.io tasks ls -q | xargs -r ctr -n k8s.io tasks rm -f
                ctr -n k8s.io containers ls -q | xargs -r ctr -n k8s.io containers rm
                grep -o ' /var/lib/kubelet/[^ ]*' /proc/mounts | xargs -r umount -l
                rm -rf /etc/kubernetes/* /var/lib/kubelet/* /var/lib/etcd/* /var/lib/etcd.*
                true""");
    }

    /** It is off from one moment to the next, and stays so. */
    public void cutPower() {
        container.getDockerClient().killContainerCmd(container.getContainerId()).exec();
    }

    /** It is on again after {@link #cutPower}; what it ran is started by systemd alone. */
    public void powerOn() {
        container
                .getDockerClient()
                .startContainerCmd(container.getContainerId())
                .exec();
    }

    /** Whether it is on. */
    public boolean isOn() {
        return container.isRunning();
    }

    /** The last lines of the kubelet's and etcd's logs, for the message of a failed test. */
    public String logs() {
        return exec(
                        "sh",
                        "-c",
                        "tail -n 60 /var/log/kubelet.log; "
                                + "for log in /var/log/pods/kube-system_etcd-*/etcd/*.log; do tail -v -n 60 $log; done")
                .everything();
    }

    GenericContainer<?> container() {
        return container;
    }

    @Override
    public String toString() {
        return name + " (" + address + ")";
    }
}
