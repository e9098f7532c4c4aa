package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;
import io.kjadm.e2e.lab.Running;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An etcd of its own, made of plain machines by three commands, one of them killed on the way; then
 * one machine leaves it, and a control plane is put on what stays.
 */
@NeedsLab(sandbox = true)
final class StandaloneEtcdIT {

    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final String TARBALL = "/root/release/etcd.tar.gz";
    private static final String BUNDLE = "/root/ca.bundle";
    private static final String KEY = "0123456789abcdef".repeat(4);
    private static final String FAILPOINT = "KJADM_FAILPOINT=ADDING:after=exit137";

    @Test
    void threeMachinesBecomeAnEtcdThatAControlPlaneUses() {
        try (var lab = Lab.withNodes(3)) {
            var first = lab.node(1);
            var second = lab.node(2);
            var third = lab.node(3);
            var version = first.shell("etcd --version | sed -n 's/^etcd Version: //p'");
            lab.nodes().forEach(node -> packRelease(node, version));

            refusesData(first, version);
            refusesAnotherRelease(first, version);
            found(first, version);

            var bundle = first.read(BUNDLE);
            List.of(second, third).forEach(node -> node.write(BUNDLE, bundle));
            refusesWithoutCa(second, first, version);
            var killed = kjadm(second, joining(first, version), FAILPOINT);
            assertEquals(137, killed.status(), killed::everything);
            var joins = List.of(
                    start(second, joining(first, version)), start(third, joining(first, version)));
            joins.forEach(join -> join.outcome().orFail());
            assertEquals(3, voters(first), () -> status(first));
            assertEquals(3, voters(third), () -> status(third));
            kjadm(second, joining(first, version)).orFail();

            leaves(third, first);
            putsAControlPlaneOn(third, first, second);

            kjadm(second, List.of("reset", "--yes")).orFail();
            var last = kjadm(first, List.of("reset", "--yes"));
            assertEquals(1, last.status(), last::everything);
            assertEquals(1, voters(first), () -> status(first));
        }
    }

    /** What the release server would send; its sum beside it. */
    private static void packRelease(Node node, String version) {
        node.shell("""
                mkdir -p /root/release/etcd-v%1$s-linux-amd64
                cp "$(command -v etcd)" "$(command -v etcdctl)" /root/release/etcd-v%1$s-linux-amd64/
                tar -C /root/release -czf %2$s etcd-v%1$s-linux-amd64
                rm -r /root/release/etcd-v%1$s-linux-amd64""".formatted(version, TARBALL));
    }

    private static void refusesData(Node node, String version) {
        node.shell(
                "mkdir -p /var/lib/etcd/member/snap && echo data > /var/lib/etcd/member/snap/db");
        var refused = kjadm(node, founding(version));
        assertEquals(1, refused.status(), refused::everything);
        assertEquals("data", node.read("/var/lib/etcd/member/snap/db").strip());
        assertFalse(node.exists("/etc/etcd"));
        node.shell("rm -r /var/lib/etcd/member");
    }

    /** In the cache, the sum says that the archive is not the one that was released. */
    private static void refusesAnotherRelease(Node node, String version) {
        var cache = "/var/cache/kjadm/etcd/v" + version;
        node.shell("""
                arch=$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')
                mkdir -p %1$s && cp %2$s %1$s/etcd-v%3$s-linux-$arch.tar.gz
                echo "$(printf '%%064d' 0)  etcd-v%3$s-linux-$arch.tar.gz" > %1$s/SHA256SUMS""".formatted(cache, TARBALL, version));
        var refused = kjadm(
                node, List.of("init", "--version", version, "--bind-address", node.address()));
        assertEquals(1, refused.status(), refused::everything);
        assertTrue(refused.stderr().contains("SHA256SUMS"), refused::everything);
        assertFalse(node.exists("/opt/bin/etcd"));
        node.shell("rm -r " + cache);
    }

    private static void found(Node node, String version) {
        var outcome = kjadm(node, founding(version)).orFail();
        assertTrue(outcome.stdout().contains("kjadm etcd join https://"), outcome::everything);
        assertEquals("600", node.shell("stat -c %a " + BUNDLE));
        assertFalse(node.read(BUNDLE).contains("PRIVATE KEY"));
        assertEquals(1, voters(node), () -> status(node));
        node.shell("/opt/bin/etcdctl.sh put kept yes");
    }

    private static void refusesWithoutCa(Node node, Node member, String version) {
        var refused = kjadm(
                node,
                List.of(
                        "join",
                        url(member),
                        "--version",
                        version,
                        "--bind-address",
                        node.address(),
                        "--etcd-tarball",
                        TARBALL));
        assertEquals(1, refused.status(), refused::everything);
        assertTrue(refused.stderr().contains("--bundle"), refused::everything);
        assertFalse(node.exists("/etc/etcd/pki/ca.crt"));
    }

    /** One member leaves; a second time there is nothing left to do. */
    private static void leaves(Node node, Node other) {
        kjadm(node, List.of("reset", "--yes")).orFail();
        assertEquals(2, voters(other), () -> status(other));
        assertFalse(node.exists("/var/lib/etcd/member"));
        assertFalse(node.exists("/etc/systemd/system/etcd.service"));
        assertTrue(node.exists("/etc/etcd/pki/ca.key"), "the CA stays");
        assertTrue(
                node.shell(
                                "ls -d /var/lib/etcd.reset-* /var/lib/etcd/member.reset-* 2> /dev/null; true")
                        .contains("reset-"),
                "its data is kept");
        kjadm(node, List.of("reset", "--yes")).orFail();
    }

    /** With the file of a machine that joined when another one was not yet there. */
    private static void putsAControlPlaneOn(Node node, Node first, Node second) {
        node.write("/root/external-etcd.yaml", first.read("/etc/etcd/external-etcd.yaml"));
        node.write(
                "/root/patches/kubeletconfiguration+merge.json",
                "{\"cgroupDriver\": \"cgroupfs\", \"failCgroupV1\": false, \"failSwapOn\": false}");
        run(
                        node,
                        List.of(
                                "kjadm",
                                "init",
                                "--external-etcd",
                                "/root/external-etcd.yaml",
                                "--kubernetes-version",
                                Components.kubernetesVersion(),
                                "--apiserver-advertise-address",
                                node.address(),
                                "--pod-network-cidr",
                                "10.244.0.0/16",
                                "--patches",
                                "/root/patches",
                                "--ignore-preflight-errors",
                                "SystemVerification,Swap"))
                .orFail();
        assertFalse(node.exists(Node.ETCD_MANIFEST));
        var manifest = node.read("/etc/kubernetes/manifests/kube-apiserver.yaml");
        List.of(first, second)
                .forEach(member -> assertTrue(manifest.contains(url(member)), manifest));
        assertTrue(
                first.shell("/opt/bin/etcdctl.sh get --prefix --keys-only --limit 5 /registry/")
                        .contains("/registry/"),
                "the API server keeps its objects there");
        assertEquals("yes", first.shell("/opt/bin/etcdctl.sh get --print-value-only kept"));
    }

    private static List<String> founding(String version) {
        return List.of("init", "--version", version, "--etcd-tarball", TARBALL, "--bundle", BUNDLE);
    }

    private static List<String> joining(Node member, String version) {
        return List.of(
                "join",
                url(member),
                "--version",
                version,
                "--etcd-tarball",
                TARBALL,
                "--bundle",
                BUNDLE);
    }

    private static String url(Node node) {
        return "https://" + node.at(2379);
    }

    private static Outcome kjadm(Node node, List<String> words, String... environment) {
        return run(node, command(words, environment));
    }

    private static Running start(Node node, List<String> words) {
        return node.start(LIMIT, command(words).toArray(String[]::new));
    }

    private static List<String> command(List<String> words, String... environment) {
        var command = new ArrayList<>(List.of(
                "env", "KJADM_JAVA_OPTS=-Dkjadm.failpoints=true", "KJADM_CERTIFICATE_KEY=" + KEY));
        command.addAll(Arrays.asList(environment));
        command.addAll(List.of("kjadm", "etcd"));
        command.addAll(words);
        return command;
    }

    private static Outcome run(Node node, List<String> command) {
        return node.start(LIMIT, command.toArray(String[]::new)).outcome();
    }

    /** Without any flag; it fails if there is no quorum. */
    private static long voters(Node node) {
        return node.run("kjadm", "etcd", "status", "-o", "jsonpath={.quorum.healthyVoters}")
                .stdout()
                .strip()
                .transform(Long::parseLong);
    }

    private static String status(Node node) {
        return node.exec("kjadm", "etcd", "status").everything();
    }
}
