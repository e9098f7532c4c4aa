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
import java.util.regex.Pattern;

/**
 * An etcd of its own, made of plain machines by three commands, one of them killed on the way; it
 * gets another version, new certificates, a new CA and, when all data are lost, those of a snapshot;
 * one machine leaves it, and a control plane is put on what stays.
 */
@NeedsLab
final class StandaloneEtcdIT {

    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final String UPGRADE_JOURNAL =
            "/var/lib/kjadm/etcd/upgrades/kjadm-upgrade/journal.json";
    private static final String BUNDLE = "/root/ca.bundle";
    private static final String KEY = "0123456789abcdef".repeat(4);
    private static final String FAILPOINT = "KJADM_FAILPOINT=ADDING:after=exit137";

    @Test
    void threeMachinesBecomeAnEtcdThatAControlPlaneUses() {
        try (var lab = Lab.withNodes(3)) {
            var first = lab.node(1);
            var second = lab.node(2);
            var third = lab.node(3);
            var version = EtcdRelease.named(98);
            // in the sandbox modules' tests play upgrades
            var newest = Components.playsAll() ? EtcdRelease.named(99) : version;
            lab.nodes().forEach(node -> {
                EtcdRelease.pack(node, version);
                EtcdRelease.pack(node, newest);
            });

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

            if (!version.equals(newest)) {
                upgrades(lab.nodes(), version, newest);
            }
            renews(second);
            rotates(lab.nodes());
            restores(first, List.of(second, third), newest);
            leaves(third, first);
            putsAControlPlaneOn(third, first, second);

            kjadm(second, List.of("reset", "--yes")).orFail();
            var last = kjadm(first, List.of("reset", "--yes"));
            assertEquals(1, last.status(), last::everything);
            assertEquals(1, voters(first), () -> status(first));
            tearsDown(first);
        }
    }

    /** One release whose etcd tells its version and then ends, whatever it is asked for. */
    private static String packBroken(Node node, String version) {
        node.write("/root/release/broken/etcd", """
                #!/bin/sh
                [ "$1" = --version ] && { echo "etcd Version: %s"; exit 0; }
                echo '{"level":"fatal","msg":"this etcd is broken"}'
                exit 1
                """.formatted(version));
        node.shell(
                "cd /root/release && chmod +x broken/etcd && cp broken/etcd broken/etcdctl && tar -czf broken.tar.gz broken");
        return "/root/release/broken.tar.gz";
    }

    /**
     * The leader waits for the others; one of them gets a broken release first and goes back; then
     * both at once, one after the other; and the leader's is killed on the way.
     */
    private static void upgrades(List<Node> nodes, String former, String newest) {
        var leader = leader(nodes);
        var followers = nodes.stream().filter(node -> node != leader).toList();
        var early = kjadm(leader, upgrading(newest, EtcdRelease.tarball(newest)));
        assertEquals(1, early.status(), early::everything);
        assertTrue(early.stderr().contains("EtcdLeaderLast"), early::everything);

        var broken = kjadm(
                followers.getFirst(), upgrading(newest, packBroken(followers.getFirst(), newest)));
        assertEquals(1, broken.status(), broken::everything);
        assertTrue(broken.stderr().contains("this etcd is broken"), broken::everything);
        assertEquals(former, installed(followers.getFirst()));
        assertEquals(3, voters(leader), () -> status(leader));

        followers.stream()
                .map(node -> start(node, upgrading(newest, EtcdRelease.tarball(newest))))
                .toList()
                .forEach(upgrade -> upgrade.outcome().orFail());

        var killed = start(leader, upgrading(newest, EtcdRelease.tarball(newest)));
        assertTrue(
                killed.signalWhen("grep -qs '\"path\"' " + UPGRADE_JOURNAL, "KILL"),
                () -> killed.outcome().everything());
        assertEquals(137, killed.outcome().status(), () -> killed.outcome().everything());
        var last = kjadm(leader, upgrading(newest, EtcdRelease.tarball(newest))).orFail();
        assertTrue(last.stdout().contains("All members of etcd run " + newest), last::everything);
        assertFalse(leader.exists(UPGRADE_JOURNAL));
        nodes.forEach(node -> assertEquals(newest, installed(node), node::name));
        assertEquals(3, voters(leader), () -> status(leader));
        assertEquals("yes", leader.shell("/opt/bin/etcdctl.sh get --print-value-only kept"));
        assertEquals("", leader.shell("/opt/bin/etcdctl.sh get --prefix --keys-only /kjadm.io/"));
    }

    /** New certificates are in use before the command ends, and told of. */
    private static void renews(Node node) {
        var before = node.shell("sha256sum /etc/etcd/pki/*.crt");
        var renewed = kjadm(node, List.of("certs", "renew")).orFail();
        assertTrue(
                renewed.stdout().contains("etcd shows its new peer certificate"),
                renewed::everything);
        assertEquals(
                4,
                before.lines()
                        .filter(sum ->
                                !node.shell("sha256sum /etc/etcd/pki/*.crt").contains(sum))
                        .count());
        assertEquals(3, voters(node), () -> status(node));
        var told = kjadm(node, List.of("certs", "check")).orFail();
        assertTrue(told.stdout().contains("apiserver-etcd-client"), told::everything);
        assertTrue(told.stdout().contains(node.at(2380)), told::everything);
    }

    /** In three rounds, in each of which all machines take their turn. */
    private static void rotates(List<Node> nodes) {
        var former = nodes.getFirst().read("/etc/etcd/pki/ca.crt");
        var rotating = List.of("certs", "rotate-ca", "--yes", "--timeout", "3m");
        for (var told : List.of("Stage 1 of 3 is done", "Stage 2 of 3 is done", "has a new CA")) {
            var outcomes = nodes.stream().map(node -> start(node, rotating)).toList().stream()
                    .map(run -> run.outcome().orFail())
                    .toList();
            assertTrue(
                    outcomes.stream().anyMatch(outcome -> outcome.stdout().contains(told)),
                    () -> told + ": "
                            + outcomes.stream().map(Outcome::everything).toList());
        }
        nodes.forEach(node -> {
            assertFalse(node.read("/etc/etcd/pki/ca.crt").contains(former.strip()), node::name);
            assertEquals("1", node.shell("grep -c BEGIN /etc/etcd/pki/ca.crt"), node::name);
        });
        assertEquals(3, voters(nodes.getFirst()), () -> status(nodes.getFirst()));
        assertEquals(
                "yes", nodes.getFirst().shell("/opt/bin/etcdctl.sh get --print-value-only kept"));
    }

    /** Of all machines' data nothing is left but a snapshot. */
    private static void restores(Node first, List<Node> others, String version) {
        kjadm(first, List.of("snapshot", "save", "/root/backups")).orFail();
        first.shell("/opt/bin/etcdctl.sh put kept since");
        var early = kjadm(first, restoring());
        assertEquals(1, early.status(), early::everything);
        assertTrue(early.stderr().contains("other etcd members still run"), early::everything);

        others.forEach(node -> node.shell("systemctl stop etcd && rm -r /var/lib/etcd/member"));
        first.shell("systemctl stop etcd && rm -r /var/lib/etcd/member");
        var silent = kjadm(first, restoring());
        assertEquals(1, silent.status(), silent::everything);
        List<String> named = new ArrayList<>(restoring());
        Pattern.compile("--declare-lost (\\S+)")
                .matcher(silent.stderr())
                .results()
                .forEach(flag -> named.add("--declare-lost=" + flag.group(1)));
        kjadm(first, named).orFail();
        assertEquals("yes", first.shell("/opt/bin/etcdctl.sh get --print-value-only kept"));
        assertEquals(1, voters(first), () -> status(first));
        others.forEach(node -> {
            kjadm(node, List.of("reset", "--endpoints", url(first), "--yes")).orFail();
            kjadm(
                            node,
                            List.of(
                                    "join",
                                    url(first),
                                    "--version",
                                    version,
                                    "--ignore-preflight-errors",
                                    "EtcdVersion"))
                    .orFail();
        });
        assertEquals(3, voters(first), () -> status(first));
        assertEquals(
                "yes", others.getLast().shell("/opt/bin/etcdctl.sh get --print-value-only kept"));
    }

    private static List<String> restoring() {
        return List.of("snapshot", "restore", "latest", "--store", "/root/backups", "--yes");
    }

    /** The last one goes, and only its snapshot stays. */
    private static void tearsDown(Node node) {
        kjadm(node, List.of("teardown", "--yes", "--delete-data")).orFail();
        List.of("/etc/etcd", "/opt/bin/etcd", "/var/lib/etcd/member", "/var/lib/kjadm/etcd")
                .forEach(path -> assertFalse(node.exists(path), path));
        assertFalse(node.shell("ls /var/lib/kjadm-snapshots").isEmpty());
        assertEquals(
                "",
                node.shell(
                        "ls -d /var/lib/etcd*.reset-* /var/lib/etcd/*reset* 2> /dev/null; true"));
    }

    private static List<String> upgrading(String version, String tarball) {
        return List.of("upgrade", version, "--etcd-tarball", tarball, "--soak", "1s");
    }

    private static Node leader(List<Node> nodes) {
        var id = nodes.getFirst()
                .run("kjadm", "etcd", "status", "-o", "jsonpath={.leader}")
                .stdout()
                .strip();
        return nodes.stream()
                .filter(node ->
                        node.run("kjadm", "etcd", "info", "-o", "json").stdout().contains(id))
                .findFirst()
                .orElseThrow();
    }

    private static String installed(Node node) {
        return node.shell("/opt/bin/etcd --version | sed -n 's/^etcd Version: //p'");
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
                echo "$(printf '%%064d' 0)  etcd-v%3$s-linux-$arch.tar.gz" > %1$s/SHA256SUMS""".formatted(cache, EtcdRelease.tarball(version), version));
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
                        EtcdRelease.tarball(version)));
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
        return List.of(
                "init",
                "--version",
                version,
                "--etcd-tarball",
                EtcdRelease.tarball(version),
                "--bundle",
                BUNDLE);
    }

    private static List<String> joining(Node member, String version) {
        return List.of(
                "join",
                url(member),
                "--version",
                version,
                "--etcd-tarball",
                EtcdRelease.tarball(version),
                "--bundle",
                BUNDLE,
                "--ignore-preflight-errors",
                "EtcdVersion");
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
