package io.kjadm.e2e.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.KubeVersions;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;
import io.kjadm.e2e.lab.Running;

import java.time.Duration;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A cluster that is to be upgraded, and what its operator does for that. Its nodes have the images
 * of the next minor of Kubernetes, too.
 */
public final class UpgradeLab implements AutoCloseable {
    /** What the cluster is made with. */
    public static final String FORMER = Components.kubernetesVersion();
    /** Where it is brought. */
    public static final String NEXT =
            System.getenv().getOrDefault("KJADM_KUBE_NEXT_VERSION", "v1.37.0");
    /** Where an upgrade notes how far it is. */
    public static final String JOURNAL = "/etc/kubernetes/tmp/kjadm-upgrade/journal.json";
    /** Until everything has come to rest. */
    public static final Duration SETTLING = Duration.ofMinutes(2);
    /** Longer than any upgrade of one node. */
    public static final Duration LONG = Duration.ofMinutes(10);

    private static final String WRONG_FLAG =
            "\n  extraArgs:\n  - name: no-such-flag\n    value: \"1\"";

    private final Lab lab;
    private final Cluster cluster;

    private UpgradeLab(Lab lab, Cluster cluster) {
        this.lab = lab;
        this.cluster = cluster;
    }

    /**
     * From which etcd to which, as image tags.
     *
     * @param minors whether the latter is of another minor
     */
    public record EtcdStep(String former, String next, boolean minors) {
        /** Promotes learners in a way that 3.6 may not understand, which is no matter here. */
        private static final String UNFINISHED = "3.5.16";

        /** From one patch release to another; the test is skipped if they are not at hand. */
        public static EtcdStep patch() {
            return Components.atHand() == Components.REAL
                    ? new EtcdStep(Components.etcdTag("3.6.8"), Components.etcdTag("3.6.14"), false)
                    : new EtcdStep(
                            Components.etcdTag(UNFINISHED), Components.etcdTag("3.5.30"), false);
        }

        /** What kubeadm 1.36 installs, and the patch release that 3.7 requires. */
        public static EtcdStep patchBeforeMinor() {
            return new EtcdStep(Components.etcdTag("3.6.8"), Components.etcdTag("3.6.11"), false);
        }

        /** From 3.5 to 3.6; the test is skipped if they are not at hand. */
        public static EtcdStep minor() {
            return new EtcdStep(Components.etcdTag("3.5.30"), Components.etcdTag("3.6.14"), true);
        }

        /** The preflight checks that a join with {@link #former} does not pass. */
        public Stream<String> ignoredChecks() {
            return Stream.of("EtcdVersion").filter(check -> former.startsWith(UNFINISHED));
        }

        /** What kjadm is told when a node joins. */
        private String[] joinFlags() {
            return ignoredChecks().map("--ignore-preflight-errors="::concat).toArray(String[]::new);
        }

        /** The same; in a sandbox without an etcd 3.6, from one patch release to another. */
        public static EtcdStep largest() {
            return Components.atHand() == Components.REAL || Components.etcdAtHand("3.6.14")
                    ? minor()
                    : patch();
        }
    }

    /**
     * A cluster of these control-plane nodes, with the others not in it yet. The test is skipped
     * where the Kubernetes that it begins or ends with is not there.
     *
     * @param nodes how many there are
     * @param controlPlanes how many are joined
     */
    public static UpgradeLab withEtcd(EtcdStep etcd, int nodes, int controlPlanes) {
        return make(
                nodes,
                controlPlanes,
                lab -> Settings.standard().withEtcdTag(etcd.former()),
                etcd.joinFlags());
    }

    /**
     * A cluster of one node whose etcd is somebody else's, on node 2.
     *
     * @param etcd starts it, and tells its URL
     */
    public static UpgradeLab withExternalEtcd(Function<Node, String> etcd) {
        return make(
                2,
                1,
                lab -> Settings.standard()
                        .withEtcd("{external: {endpoints: [\"%s\"]}}"
                                .formatted(etcd.apply(lab.node(2)))));
    }

    private static UpgradeLab make(
            int nodes, int controlPlanes, Function<Lab, Settings> settings, String... joinFlags) {
        requireVersions();
        return make(
                Lab.withNodes(nodes, KubeVersions.of(FORMER, NEXT)),
                controlPlanes,
                lab -> settings.apply(lab).withKubernetes(FORMER),
                joinFlags);
    }

    /** A cluster of one node without the images of another version. */
    public static UpgradeLab upToDate(String etcdTag) {
        return make(Lab.withNodes(1), 1, lab -> Settings.standard().withEtcdTag(etcdTag));
    }

    /** The same of several control-plane nodes, whose etcd is to go that way without Kubernetes. */
    public static UpgradeLab upToDate(EtcdStep etcd, int nodes) {
        return make(
                Lab.withNodes(nodes),
                nodes,
                lab -> Settings.standard().withEtcdTag(etcd.former()),
                etcd.joinFlags());
    }

    private static UpgradeLab make(
            Lab lab, int controlPlanes, Function<Lab, Settings> settings, String... joinFlags) {
        try {
            var cluster = new Cluster(lab, settings.apply(lab));
            cluster.init(Tool.KJADM);
            var joined = lab.nodes().subList(0, controlPlanes);
            joined.stream()
                    .skip(1)
                    .forEach(node -> cluster.tryJoinControlPlane(Tool.KJADM, node, joinFlags)
                            .orFail());
            cluster.awaitReady(joined.toArray(Node[]::new));
            return new UpgradeLab(lab, cluster);
        } catch (RuntimeException | Error e) {
            lab.close();
            throw e;
        }
    }

    /** Skips the test where the Kubernetes that an upgrade begins or ends with is not there. */
    public static void requireVersions() {
        Stream.of(FORMER, NEXT)
                .forEach(version -> assumeTrue(
                        Components.kubernetesAtHand(version), "no Kubernetes " + version));
    }

    public Lab lab() {
        return lab;
    }

    public Cluster cluster() {
        return cluster;
    }

    public Node node(int i) {
        return lab.node(i);
    }

    /** Leaves etcd's version to the release of Kubernetes. */
    public void wantNoEtcd(EtcdStep etcd) {
        cluster.configure(
                text -> text.replaceFirst("(?m)^ *imageTag: %s\n".formatted(etcd.former()), ""));
    }

    /** Has the next upgrade go to another etcd. */
    public void wantEtcd(EtcdStep etcd) {
        cluster.configure(text -> text.replace(etcd.former(), etcd.next()));
    }

    /** Gives the API servers a flag that they do not know. */
    public void wantWrongFlag() {
        cluster.configure(text -> text.replaceFirst("(?m)^apiServer:", "apiServer:" + WRONG_FLAG));
    }

    /** Undoes {@link #wantWrongFlag}. */
    public void wantNoWrongFlag() {
        cluster.configure(text -> text.replace(WRONG_FLAG, ""));
    }

    /** {@code kjadm upgrade apply}, with these further words. */
    public Outcome apply(Node node, String... more) {
        return node.exec(applyWords(more));
    }

    /** Starts the same and does not wait for it. */
    public Running startApply(Node node, String... more) {
        return node.start(LONG, applyWords(more));
    }

    /**
     * The same, ended as if by {@code kill -9} behind a step of its journal.
     *
     * @param step such as {@code CHANGING}
     */
    public Outcome applyKilledAt(String step, Node node) {
        var killed = node.exec(Stream.concat(
                        Stream.of(
                                "env",
                                "KJADM_JAVA_OPTS=-Dkjadm.failpoints=true",
                                "KJADM_FAILPOINT=%s:after=exit137".formatted(step)),
                        Stream.of(applyWords()))
                .toArray(String[]::new));
        assertEquals(137, killed.status(), killed::everything);
        return killed;
    }

    /**
     * To a patch release of a minor before its own the program upgrades only if that is ignored; with
     * force it would ignore more.
     */
    private static String[] applyWords(String... more) {
        return words(
                Stream.concat(
                        Stream.of("apply", NEXT, "--yes"),
                        minor(NEXT).equals(minor(FORMER))
                                ? Stream.of("--ignore-preflight-errors=ProgramTooNew")
                                : Stream.empty()),
                more);
    }

    private static String minor(String version) {
        return version.substring(0, version.lastIndexOf('.'));
    }

    /** {@code kjadm upgrade node}, with these further words; does not wait for it. */
    public Running startNode(Node node, String... more) {
        return node.start(LONG, words(Stream.of("node"), more));
    }

    /** A lab's kernel is not what kubeadm's checks want; a test may name further rules. */
    private static String[] words(Stream<String> verb, String... more) {
        return Stream.of(
                        Stream.of("kjadm", "upgrade"),
                        verb,
                        Stream.of("--ignore-preflight-errors=SystemVerification"),
                        Stream.of(more))
                .flatMap(part -> part)
                .toArray(String[]::new);
    }

    /** When a run says something, in nanoseconds; it may have ended before. */
    public static long told(Running run, String words) {
        return Eventually.get(LONG, () -> {
            var now = System.nanoTime();
            assertTrue(run.output().contains(words) || run.ended(), run::output);
            return now;
        });
    }

    /** Waits until a node's own API server tells a version. */
    public void assertVersion(Node node, String version) {
        Eventually.passes(SETTLING, () -> {
            try (var client = cluster.client(node)) {
                assertEquals(version, client.getKubernetesVersion().getGitVersion());
            }
        });
    }

    /** A condition for a shell: the journal has these words. */
    public static String noted(String words) {
        return "grep -q -- '%s' %s 2> /dev/null".formatted(words, JOURNAL);
    }

    /** A condition for a shell: the journal has this component among those that are done. */
    public static String done(String step) {
        return "jq -e '.done | index(\"%s\")' %s > /dev/null 2>&1".formatted(step, JOURNAL);
    }

    /** Every file that an upgrade would change, with its checksum. */
    public static String files(Node node) {
        return node.shell(
                "find /etc/kubernetes /var/lib/kubelet/*.* -type f | sort | xargs sha256sum");
    }

    /** The manifests with their checksums. */
    public static String manifests(Node node) {
        return node.shell("sha256sum /etc/kubernetes/manifests/*");
    }

    @Override
    public void close() {
        lab.close();
    }
}
