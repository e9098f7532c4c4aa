package io.kjadm.e2e;

import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;
import io.kjadm.e2e.lab.Running;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The commands that make a standalone etcd of plain machines, and what they tell of it. */
final class StandaloneCommands {

    static final String UPGRADE_JOURNAL = "/var/lib/kjadm/etcd/upgrades/kjadm-upgrade/journal.json";
    static final String BUNDLE = "/root/ca.bundle";
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final String KEY = "0123456789abcdef".repeat(4);

    private StandaloneCommands() {}

    static List<String> upgrading(String version, String tarball) {
        return List.of("upgrade", version, "--etcd-tarball", tarball, "--soak", "1s");
    }

    static Node leader(List<Node> nodes) {
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

    static String installed(Node node) {
        return node.shell("/opt/bin/etcd --version | sed -n 's/^etcd Version: //p'");
    }

    static List<String> founding(String version) {
        return List.of(
                "init",
                "--version",
                version,
                "--etcd-tarball",
                EtcdRelease.tarball(version),
                "--bundle",
                BUNDLE);
    }

    static List<String> joining(Node member, String version) {
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

    static String url(Node node) {
        return "https://" + node.at(2379);
    }

    static Outcome kjadm(Node node, List<String> words, String... environment) {
        return run(node, command(words, environment));
    }

    static Running start(Node node, List<String> words) {
        return node.start(LIMIT, command(words).toArray(String[]::new));
    }

    static List<String> command(List<String> words, String... environment) {
        var command = new ArrayList<>(List.of(
                "env", "KJADM_JAVA_OPTS=-Dkjadm.failpoints=true", "KJADM_CERTIFICATE_KEY=" + KEY));
        command.addAll(Arrays.asList(environment));
        command.addAll(List.of("kjadm", "etcd"));
        command.addAll(words);
        return command;
    }

    static Outcome run(Node node, List<String> command) {
        return node.start(LIMIT, command.toArray(String[]::new)).outcome();
    }

    /** Without any flag; it fails if there is no quorum. */
    static long voters(Node node) {
        return node.run("kjadm", "etcd", "status", "-o", "jsonpath={.quorum.healthyVoters}")
                .stdout()
                .strip()
                .transform(Long::parseLong);
    }

    static String status(Node node) {
        return node.exec("kjadm", "etcd", "status").everything();
    }
}
