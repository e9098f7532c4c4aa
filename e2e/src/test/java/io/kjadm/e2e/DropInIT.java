package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * kjadm called as kubeadm by a link, with the command lines of those who call kubeadm, as far as
 * they need a cluster ({@code docs/drop-in.md}).
 */
@NeedsLab
@Tag("long")
final class DropInIT {

    private static final String ADMIN = "/etc/kubernetes/admin.conf";
    private static final String KEY = "[0-9a-f]{64}";

    @Test
    void callersFindWhatTheyRead() {
        try (var lab = Lab.withNodes(2)) {
            lab.nodes().forEach(Tool::linkAsKubeadm);
            var first = lab.node(1);
            var second = lab.node(2);
            var cluster = new Cluster(lab, Settings.standard());

            var init = cluster.init(Tool.KUBEADM);
            assertTrue(init.stdout().contains("kubeadm join " + lab.endpoint()), init::stdout);
            assertFalse(init.stdout().contains("kjadm join"), init::stdout);

            kubespray(first);
            kubekey(first);
            kinder(first, second);
            minikube(first, second);
            cluster.awaitReady(first, second);
            assertTrue(second.exec("kubeadm", "reset", "--force").succeeded(), "reset");
        }
    }

    private static void kubespray(Node node) {
        var token = node.shell("kubeadm --kubeconfig %s token create".formatted(ADMIN));
        assertTrue(token.matches("[a-z0-9]{6}\\.[a-z0-9]{16}"), token);
        node.shell("kubeadm --kubeconfig %s token delete %s".formatted(ADMIN, token));
        var key = node.shell("kubeadm init phase --config /root/init.yaml upload-certs"
                + " --upload-certs | tail -1");
        assertTrue(key.matches(KEY), key);
        assertEquals(
                "",
                node.shell("kubeadm certs check-expiration"
                        + " -o jsonpath='{.certificates[?(@.residualTime<86400.0)]}'"));
        assertTrue(node.shell("kubeadm kubeconfig user --client-name N --org O"
                        + " --config /root/init.yaml")
                .startsWith("apiVersion: v1"));
    }

    private static void kubekey(Node node) {
        var key = node.shell(
                "kubeadm init phase upload-certs --upload-certs"
                        + " --config=/root/init.yaml 2>&1 | awk '/Using certificate key:/{getline; print}'");
        assertTrue(key.matches(KEY), key);
        var dates = node.shell("kubeadm certs check-expiration | grep -o"
                + " '[A-Za-z]\\{3,4\\}\\s\\w\\w,\\s[0-9]\\{4,\\}\\s\\w*:\\w*\\s\\w*\\s*' | wc -l");
        assertTrue(Integer.parseInt(dates) >= 10, dates);
    }

    /** It runs the first word of the command that was printed. */
    private static void kinder(Node first, Node second) {
        var command = first.shell("kubeadm token create --print-join-command");
        assertEquals(1, command.lines().count(), command);
        second.shell(command + " --ignore-preflight-errors=all --dry-run");
        assertFalse(second.exists("/etc/kubernetes/kubelet.conf"), "nothing was done");
    }

    /** It puts its own call in the place of the first word. */
    private static void minikube(Node first, Node second) {
        var command = first.shell("kubeadm token create --print-join-command --ttl=0");
        second.shell(command.replaceFirst("kubeadm", "env PATH=\"/usr/local/sbin:\\$PATH\" kubeadm")
                + " --ignore-preflight-errors=all --node-name="
                + second.name()
                + " --cri-socket unix:///run/containerd/containerd.sock");
    }
}
