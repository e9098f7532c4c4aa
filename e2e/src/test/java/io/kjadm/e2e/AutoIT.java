package io.kjadm.e2e;

import static io.kjadm.e2e.AutoCommands.LONG;
import static io.kjadm.e2e.AutoCommands.OPERATOR;
import static io.kjadm.e2e.AutoCommands.SETTLING;
import static io.kjadm.e2e.AutoCommands.daemon;
import static io.kjadm.e2e.AutoCommands.member;
import static io.kjadm.e2e.AutoCommands.replaced;
import static io.kjadm.e2e.AutoCommands.serves;
import static io.kjadm.e2e.AutoCommands.shareToken;
import static io.kjadm.e2e.AutoCommands.shows;
import static io.kjadm.e2e.AutoCommands.timed;
import static io.kjadm.e2e.AutoCommands.told;
import static io.kjadm.e2e.AutoCommands.words;
import static io.kjadm.e2e.StandaloneCommands.status;
import static io.kjadm.e2e.StandaloneCommands.voters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.util.stream.Collectors.joining;

import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.Writer;
import io.kjadm.e2e.lab.Bucket;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;
import io.kjadm.e2e.lab.Running;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Blank machines form an etcd by one command each, in a folder and in a bucket: one is killed and
 * comes back, a pause keeps a machine out, etcd ends again and again on one of them, ends everywhere and
 * comes back, and serves on while the store is away.
 */
@NeedsLab
@Tag("long")
final class AutoIT {

    /** How long the store is away; {@code -Dkjadm.auto.away=PT1H} for an hour. */
    private static final Duration AWAY =
            Duration.parse(System.getProperty("kjadm.auto.away", "PT0S"));

    @Test
    void machinesFormAClusterInAFolder() {
        try (var lab = Lab.withNodes(3)) {
            var version = EtcdRelease.packed(lab);
            var store = Lab.SHARED + "/store";
            var first = lab.node(1);
            first.run("kjadm", "etcd", "seed", store, "nodes=3", "version=" + version);
            var again = first.exec(
                    "kjadm", "etcd", "seed", store, "--token-file=/root/other", "nodes=3");
            assertEquals(1, again.status(), again::everything);
            shareToken(lab);

            var alone = first.exec("kjadm", "etcd", "auto", store, "--once");
            alone.failsFor("WAIT_MACHINES");

            var daemons = new ArrayList<>(Stream.of(1, 2)
                    .map(i -> daemon(lab.node(i), store, version))
                    .toList());
            serves(first, 2);

            first.run("kjadm", "etcd", "auto", "pause", "--reason", "maintenance");
            daemons.add(daemon(lab.node(3), store, version));
            Eventually.passes(SETTLING, () -> {
                var told = first.run("kjadm", "etcd", "auto", "status").stdout();
                assertEquals(
                        3,
                        told.lines()
                                .filter(line -> line.contains("WAIT_PAUSED"))
                                .count(),
                        told);
            });
            assertEquals(2, voters(first), () -> status(first));
            first.run("kjadm", "etcd", "auto", "resume");
            serves(first, 3);
            lab.nodes().forEach(node -> {
                Eventually.passes(
                        SETTLING,
                        () -> assertEquals(
                                3,
                                node.read("/etc/etcd/external-etcd.yaml")
                                        .lines()
                                        .filter(line -> line.startsWith("- https://"))
                                        .count()));
                shows(node, "explain", "IDLE");
            });
            first.shell("/opt/bin/etcdctl.sh put kept yes");

            // an etcd that ends whenever it is started is told, and why it is not replaced yet
            lab.node(2).shell("""
                            cp /opt/bin/etcd /root/etcd
                            printf '#!/bin/sh\nexit 1\n' > /root/ends && chmod +x /root/ends
                            mv /root/ends /opt/bin/etcd && pkill -9 -x etcd
                            """);
            shows(first, "status", "WAIT_UNIT");
            shows(first, "status", "WAIT_AGE");
            lab.node(2).shell("mv /root/etcd /opt/bin/etcd");
            lab.nodes().forEach(node -> shows(node, "explain", "IDLE"));

            // the daemons and the store go: etcd serves on
            daemons.forEach(daemon -> daemon.signal("KILL"));
            first.shell("mv %1$s %1$s.away && /opt/bin/etcdctl.sh put kept since".formatted(store));
            var away = first.exec("kjadm", "etcd", "auto", store, "--once");
            away.failsFor("WAIT_STORE");

            // a machine restarts meanwhile: etcd starts by what the machine remembers
            lab.node(3).cutPower();
            lasts(AWAY);
            lab.node(3).powerOn();
            lab.node(3).shell("systemctl start etcd");
            serves(first, 3);
            first.shell("mv %1$s.away %1$s".formatted(store));

            // etcd ends everywhere and comes back without the daemons, as after a power cut
            lab.nodes().forEach(node -> node.shell("systemctl stop etcd"));
            lab.nodes().forEach(node -> node.shell("systemctl start etcd"));
            serves(first, 3);
            assertEquals("since", first.shell("/opt/bin/etcdctl.sh get --print-value-only kept"));
            var idle = first.run("kjadm", "etcd", "auto", store, "--once");
            assertTrue(idle.stdout().contains("IDLE"), idle::everything);

            // an entry that is taken away is missed: the first one, which names the founder's seat;
            // by that a founder without a memory would wait for its disk first
            first.shell("rm %s/v1/auto/log/00000000000000000001.json".formatted(store));
            var blank = first.exec(
                    "sh",
                    "-c",
                    "rm -r /var/lib/kjadm/etcd-auto && kjadm etcd auto --once " + store);
            blank.failsFor("UNSAFE_STORE");
            assertEquals(3, voters(first), () -> status(first));
        }
    }

    @Test
    void aKilledMachineResumesInABucket() {
        try (var lab = Lab.withNodes(3);
                var bucket = Bucket.near(lab.node(1))) {
            var version = EtcdRelease.packed(lab);
            var first = lab.node(1);
            // commands by hand have the credentials of the service
            first.shell("mkdir -p /etc/kjadm");
            first.write("/etc/kjadm/etcd-auto.env", bucket.credentials());
            first.run("kjadm", "etcd", "seed", bucket.url(), "nodes=3", "version=" + version);
            shareToken(lab);
            Function<Node, Running> daemon = node -> node.start(
                    LONG, bucket.command(words(bucket.url(), EtcdRelease.tarball(version))));

            var daemons = lab.nodes().stream().map(daemon).toList();
            var killed = daemons.get(1);
            killed.signalWhen("test -e /etc/etcd/pki/ca.crt", "KILL");
            killed.outcome();
            var resumed = daemon.apply(lab.node(2));
            Eventually.passes(
                    SETTLING,
                    () -> assertEquals(
                            3, voters(lab.node(3)), () -> status(lab.node(3)) + resumed.output()));
            var log = first.run(bucket.command("kjadm", "etcd", "auto", "log", bucket.url()))
                    .stdout();
            assertEquals(
                    1,
                    log.lines().filter(line -> line.contains("form generation")).count());
            assertTrue(log.contains("ready generation 1"), log);

            shows(first, "log", "ready generation 1");
            var refused = first.exec("kjadm", "etcd", "member", "remove", "etcd9");
            assertTrue(refused.stderr().contains("is not paused"), refused::everything);
        }
    }

    /**
     * A machine goes for good and the spare takes its place; it comes back, and is the spare then. A
     * person removes a voter in a pause: it stays away until that person resumes. Then the quorum is lost, and
     * the next cluster begins with the snapshot that was saved before the replacement.
     */
    @Test
    void aSpareTakesThePlaceOfAMachine() {
        try (var lab = Lab.withNodes(4)) {
            var version = EtcdRelease.packed(lab);
            var store = Lab.SHARED + "/store";
            var first = lab.node(1);
            first.run(
                    "kjadm",
                    "etcd",
                    "seed",
                    store,
                    "nodes=3",
                    "replace-after=2m",
                    "version=" + version);
            shareToken(lab);
            timed("three blank machines to three voters", () -> {
                Stream.of(1, 2, 3).forEach(i -> daemon(lab.node(i), store, version));
                serves(first, 3);
            });
            daemon(lab.node(4), store, version);
            shows(first, "status", "is a spare");
            first.shell("/opt/bin/etcdctl.sh put kept yes");

            try (var writer = Writer.on(first)) {
                timed("a machine dead to its spare a voter, 120 s of them a wait", () -> {
                    lab.node(3).cutPower();
                    replaced(first, lab.node(4), lab.node(3));
                });
                var writes = writer.writes();
                assertEquals(0, writes.missed(), writes::toString);
                System.out.println("[auto] replaced a machine: " + writes);
            }
            // one was saved before the voter was removed
            first.run(
                    "kjadm",
                    "etcd",
                    "snapshot",
                    "verify",
                    "latest",
                    "--store",
                    store,
                    "--identity-file=/var/lib/kjadm/etcd-auto/backup.identity");

            lab.node(3).powerOn();
            daemon(lab.node(3), store, version);
            shows(first, "status", "is a spare");

            first.run("kjadm", "etcd", "auto", "pause", "--reason", "maintenance");
            first.run("kjadm", "etcd", "member", "remove", member(first, lab.node(2)));
            shows(first, "log", "others have changed");
            assertEquals(2, voters(first), () -> status(first));
            first.run("kjadm", "etcd", "auto", "resume");
            serves(first, 3);

            var members = first.run("kjadm", "etcd", "member", "list").stdout();
            var gone = lab.nodes().stream()
                    .skip(1)
                    .filter(node -> members.contains(node.at(2380)))
                    .toList();
            var lost = gone.stream().map(node -> member(first, node)).collect(joining(","));
            gone.forEach(Node::cutPower);
            timed("two of three voters lost to a restore of the machines' snapshot", () -> {
                Eventually.passes(LONG, () -> {
                    var approved = approve(first, "--snapshot=latest", "--lost=" + lost);
                    assertEquals(0, approved.status(), approved::everything);
                });
                serves(first, 2);
            });
            assertEquals("yes", first.shell("/opt/bin/etcdctl.sh get --print-value-only kept"));
        }
    }

    /**
     * A cluster of two that was set up by hand is adopted: etcd runs on, a machine joins, and an emptied
     * disk is repaired.
     */
    @Test
    void aClusterThatRunsIsAdopted() {
        try (var lab = Lab.withNodes(3)) {
            var version = EtcdRelease.packed(lab);
            var store = Lab.SHARED + "/store";
            var first = lab.node(1);
            var second = lab.node(2);
            StandaloneCommands.kjadm(first, StandaloneCommands.founding(version))
                    .orFail();
            second.write(StandaloneCommands.BUNDLE, first.read(StandaloneCommands.BUNDLE));
            StandaloneCommands.kjadm(second, StandaloneCommands.joining(first, version))
                    .orFail();
            first.shell("/opt/bin/etcdctl.sh put kept yes");
            var before = lab.nodes().stream().limit(2).map(AutoIT::process).toList();

            first.run("kjadm", "etcd", "auto", "adopt", store, "nodes=3", "--yes");
            first.run("kjadm", "etcd", "auto", "adopt", store, "nodes=3", "--yes");
            shareToken(lab);
            lab.nodes().forEach(node -> daemon(node, store, version));
            serves(first, 3);
            Eventually.passes(
                    SETTLING,
                    () -> assertEquals(
                            2,
                            told(first, "log")
                                    .lines()
                                    .filter(line -> line.contains("claim member"))
                                    .count()));
            assertEquals(
                    before, lab.nodes().stream().limit(2).map(AutoIT::process).toList());
            Stream.of(first, second).forEach(node -> shows(node, "explain", "IDLE"));

            timed("a member without data to a voter", () -> {
                second.shell(
                        "systemctl stop etcd; rm -r /var/lib/etcd/*; systemctl start etcd || true");
                shows(first, "log", "data of member");
                serves(first, 3);
            });
            // what clients need is written after the member votes
            Eventually.passes(
                    SETTLING,
                    () -> assertEquals(
                            "yes",
                            second.shell("/opt/bin/etcdctl.sh get --print-value-only kept")));

            // fewer voters are wanted: one leaves, and its machine is a spare
            first.run("kjadm", "etcd", "auto", "approve", "spec", "nodes=2", OPERATOR, "--yes");
            serves(first, 2);
            shows(first, "status", "is a spare");
        }
    }

    /**
     * Two of three machines are gone for good: an operator approves a restore, and the next cluster has the
     * data of the survivor. One of the two comes back, stops its old member and joins.
     */
    @Test
    void aLostQuorumIsRestoredByAnApproval() {
        try (var lab = Lab.withNodes(4)) {
            var version = EtcdRelease.packed(lab);
            var store = Lab.SHARED + "/store";
            var first = lab.node(1);
            first.run("kjadm", "etcd", "seed", store, "nodes=3", "version=" + version);
            shareToken(lab);
            Stream.of(1, 2, 3).forEach(i -> daemon(lab.node(i), store, version));
            serves(first, 3);
            Eventually.passes(SETTLING, () -> first.shell("/opt/bin/etcdctl.sh put kept yes"));
            var lost = "--lost=%s,%s"
                    .formatted(member(first, lab.node(2)), member(first, lab.node(3)));
            var survivor = "--survivor=" + member(first, first);

            lab.node(2).cutPower();
            lab.node(3).cutPower();
            daemon(lab.node(4), store, version);
            var early = approve(first, survivor, lost);
            assertEquals(1, early.status(), "the members have reported just now");
            Eventually.passes(LONG, () -> {
                var approved = approve(first, survivor, lost);
                assertEquals(0, approved.status(), approved::everything);
            });
            serves(first, 2);
            assertEquals("yes", first.shell("/opt/bin/etcdctl.sh get --print-value-only kept"));

            lab.node(2).powerOn();
            daemon(lab.node(2), store, version);
            Eventually.passes(SETTLING, () -> assertEquals(3, voters(first), status(first)));
            shows(first, "log", "form generation 2");
            assertEquals(
                    "yes", lab.node(2).shell("/opt/bin/etcdctl.sh get --print-value-only kept"));
        }
    }

    private static Outcome approve(Node node, String... words) {
        return node.exec(Stream.concat(
                        Stream.of("kjadm", "etcd", "auto", "approve", "restore", OPERATOR, "--yes"),
                        Stream.of(words))
                .toArray(String[]::new));
    }

    /** Of etcd on a node. */
    private static String process(Node node) {
        return node.shell("pgrep -x etcd");
    }

    private static void lasts(Duration duration) {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
