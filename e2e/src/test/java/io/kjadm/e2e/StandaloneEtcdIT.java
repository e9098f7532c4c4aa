package io.kjadm.e2e;

import static io.kjadm.e2e.StandaloneCommands.BUNDLE;
import static io.kjadm.e2e.StandaloneCommands.UPGRADE_JOURNAL;
import static io.kjadm.e2e.StandaloneCommands.founding;
import static io.kjadm.e2e.StandaloneCommands.installed;
import static io.kjadm.e2e.StandaloneCommands.joining;
import static io.kjadm.e2e.StandaloneCommands.kjadm;
import static io.kjadm.e2e.StandaloneCommands.leader;
import static io.kjadm.e2e.StandaloneCommands.run;
import static io.kjadm.e2e.StandaloneCommands.start;
import static io.kjadm.e2e.StandaloneCommands.status;
import static io.kjadm.e2e.StandaloneCommands.upgrading;
import static io.kjadm.e2e.StandaloneCommands.url;
import static io.kjadm.e2e.StandaloneCommands.voters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * An etcd of its own, made of plain machines by three commands, one of them killed on the way; it
 * gets another version, new certificates, a new CA and, when all data are lost, those of a snapshot;
 * one machine leaves it, and a control plane is put on what stays.
 */
@NeedsLab
@Tag("long")
final class StandaloneEtcdIT {

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

            // otherwise its API server writes behind the last snapshot, and the data are kept
            third.wipe();
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
        early.failsFor("EtcdLeaderLast");

        var broken = kjadm(
                followers.getFirst(), upgrading(newest, packBroken(followers.getFirst(), newest)));
        broken.failsFor("this etcd is broken");
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

    /** etcd serves the new certificates before the command ends, which says so. */
    private static void renews(Node node) {
        var before = node.shell("sha256sum /etc/etcd/pki/*.crt");
        var renewed = kjadm(node, List.of("certs", "renew")).orFail();
        assertTrue(
                renewed.stdout()
                        .lines()
                        .anyMatch(line -> line.contains("etcd serves the certificate")
                                && line.endsWith(" at " + node.at(2380))),
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
        early.failsFor("other etcd members still run");

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
        refused.failsFor("SHA256SUMS");
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
        refused.failsFor("--bundle");
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
}
