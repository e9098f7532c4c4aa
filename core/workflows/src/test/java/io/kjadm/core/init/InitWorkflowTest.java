package io.kjadm.core.init;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.kjadm.core.config.LoadedInit;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.node.CertificateStore;
import io.kjadm.core.node.KubeconfigStore;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.core.phase.Selection;
import io.kjadm.etcd.Named;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A whole {@code init} in memory. */
class InitWorkflowTest {

    private static final String CONFIG = """
            apiVersion: kubeadm.k8s.io/v1beta4
            kind: InitConfiguration
            localAPIEndpoint: {advertiseAddress: 192.0.2.10}
            nodeRegistration: {name: cp-1, criSocket: "unix:///run/c.sock"}
            bootstrapTokens: [{token: abcdef.0123456789abcdef}]
            ---
            apiVersion: kubeadm.k8s.io/v1beta4
            kind: ClusterConfiguration
            kubernetesVersion: v1.36.2
            encryptionAlgorithm: ECDSA-P256
            controlPlaneEndpoint: cluster.example:6443
            """;
    private static final Path PKI = Path.of("/etc/kubernetes/pki");

    private final InitLab lab = new InitLab().withNode();
    private final LoadedInit loaded = InitLab.load(CONFIG);

    private InitRun init(String... skipped) {
        List<String> skip = new java.util.ArrayList<>(List.of(skipped));
        skip.add("preflight");
        return lab.workflow().run(lab.start(loaded, true), Selection.allBut(skip), lab.out);
    }

    @Test
    void runAgainItChangesNothingOnDisk() {
        init();
        Map<Path, String> first = lab.contents();
        init();
        assertEquals(first, lab.contents());
    }

    @Test
    void theNodeIsMarkedAndTheKeyOfTheCertificatesIsPrinted() {
        InitRun run = init();
        Node node = lab.api.get(Node.class, "", "cp-1").orElseThrow();
        assertEquals(
                "", node.getMetadata().getLabels().get("node-role.kubernetes.io/control-plane"));
        assertEquals("NoSchedule", node.getSpec().getTaints().getFirst().getEffect());
        assertHasLine(
                "--control-plane --certificate-key " + run.certificateKey().orElseThrow(),
                lab.out.text());
        assertHasLine(
                "kjadm join cluster.example:6443 --token abcdef.0123456789abcdef \\",
                lab.out.text());
    }

    @Test
    void theClosingWordsHaveTheLinesThatScriptsLookFor() {
        init();
        List<String> lines = lab.out.text().lines().toList();
        assertHasLine(
                "Your Kubernetes control-plane has initialized successfully!", lab.out.text());
        assertHasLine(
                "You can now join any number of control-plane nodes running the following command on each as root:",
                lab.out.text());
        int worker = lines.indexOf(
                "Then you can join any number of worker nodes by running the following on each as root:");
        assertTrue(worker > 0, lab.out.text());
        assertEquals("", lines.get(worker + 1));
        assertEquals(
                "kjadm join cluster.example:6443 --token abcdef.0123456789abcdef \\",
                lines.get(worker + 2));
        assertTrue(
                lines.get(worker + 3)
                        .matches("\t--discovery-token-ca-cert-hash sha256:[0-9a-f]{64}"),
                lines.get(worker + 3));
        assertTrue(
                lines.indexOf(
                                "  kjadm join cluster.example:6443 --token abcdef.0123456789abcdef \\")
                        < worker,
                lab.out.text());
    }

    @Test
    void whatWasSkippedIsNotThere() {
        init("upload-certs", "show-join-command", "addon/kube-proxy");
        assertTrue(lab.api.get(Secret.class, "kube-system", "kubeadm-certs").isEmpty());
        assertTrue(lab.api.get(DaemonSet.class, "kube-system", "kube-proxy").isEmpty());
        assertTrue(lab.api.get(ConfigMap.class, "kube-system", "coredns").isPresent());
    }

    @Test
    void theClosingWordsNeedTheirTokenAndKey() {
        UsageException refused = assertThrows(UsageException.class, () -> init("bootstrap-token"));
        assertEquals(
                "phase show-join-command cannot run without phase bootstrap-token", refused.what());
        assertEquals(List.of(), lab.files.list(PKI), "refused before anything is done");
    }

    @Test
    void whenTheAdministratorHasNoRightsTheSuperAdministratorGivesThem() {
        lab.api.answering(1).failing(1, Kind.FORBIDDEN);
        init();
        assertTrue(lab.api
                .get(ClusterRoleBinding.class, "", "kubeadm:cluster-admins")
                .isPresent());
    }

    /** As where admin.conf comes from elsewhere, or the binding was deleted. */
    @Test
    void withoutTheSuperAdministratorsFileTheGroupToBindIsNamed() {
        init();
        lab.files.delete(Path.of("/etc/kubernetes/super-admin.conf"));
        lab.api.failing(1, Kind.FORBIDDEN);
        PhaseFailure failed = assertThrows(
                PhaseFailure.class,
                () -> lab.phases(lab.start(loaded, true), "mark-control-plane"));
        HostException refused = assertInstanceOf(HostException.class, failed.getCause());
        assertEquals(
                Set.of("/etc/kubernetes/super-admin.conf"),
                Named.files(refused.why()),
                refused.why());
        assertEquals(
                "restore the file, or bind group kubeadm:cluster-admins to cluster-admin yourself",
                refused.next());
    }

    @Test
    void anApiServerThatIsBusyIsAskedAgain() {
        lab.api.answering(3).failing(4, Kind.UNAVAILABLE);
        init();
        assertTrue(lab.api.get(ConfigMap.class, "kube-system", "kubeadm-config").isPresent());
    }

    @ParameterizedTest
    @EnumSource(names = {"FORBIDDEN", "NOT_FOUND"})
    void whatAnApiServerRefusesInItsFirstMomentsIsTriedAgain(Kind refusal) {
        lab.api.answering(3).failing(4, refusal);
        init();
        assertTrue(lab.api.get(ConfigMap.class, "kube-system", "kubeadm-config").isPresent());
    }

    @Test
    void whatElseIsInKubeadmConfigStays() {
        lab.api.with(new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace("kube-system")
                .withName("kubeadm-config")
                .addToLabels("mine", "yes")
                .endMetadata()
                .addToData("ClusterConfiguration", "old")
                .addToData("notes", "mine")
                .build());
        init();
        ConfigMap map =
                lab.api.get(ConfigMap.class, "kube-system", "kubeadm-config").orElseThrow();
        assertEquals(Map.of("mine", "yes"), map.getMetadata().getLabels());
        assertEquals("mine", map.getData().get("notes"));
        assertHasLine("kubernetesVersion: v1.36.2", map.getData().get("ClusterConfiguration"));
    }

    @Test
    void everyTokenIsTold() {
        init();
        assertEquals(
                "Using token: abcdef.0123456789abcdef",
                lab.out.in("bootstrap-token").getFirst());
        LoadedInit two = InitLab.load(CONFIG.replace(
                "bootstrapTokens: [", "bootstrapTokens: [{token: 123456.0123456789abcdef}, "));
        lab.phases(lab.start(two, false), "bootstrap-token");
        assertHasLine(
                "[bootstrap-token] Using tokens: [123456.0123456789abcdef abcdef.0123456789abcdef]",
                lab.out.text());
    }

    @Test
    void aConfiguredCertificateKeyIsInTheJoinCommandWithoutAnUpload() {
        String key = "ab".repeat(32);
        LoadedInit keyed = InitLab.load(CONFIG.replace(
                "bootstrapTokens:", "certificateKey: %s\nbootstrapTokens:".formatted(key)));
        lab.workflow()
                .run(lab.start(keyed, false), Selection.allBut(List.of("preflight")), lab.out);
        assertHasLine("--control-plane --certificate-key " + key, lab.out.text());
    }

    @Test
    void anApiServerThatNeverComesEndsTheRunInItsPhase() {
        lab.api.down(Kind.UNREACHABLE);
        PhaseFailure failure = assertThrows(PhaseFailure.class, this::init);
        assertEquals("wait-control-plane", failure.phase());
    }

    @Test
    void theKubeletsRotatedCertificateIsUsedFromThenOn() {
        lab.files.with("/var/lib/kubelet/pki/kubelet-client-current.pem", "rotated");
        init();
        Kubeconfig kubelet = Kubeconfig.parse(lab.files.text("/etc/kubernetes/kubelet.conf"));
        assertEquals(
                Path.of("/var/lib/kubelet/pki/kubelet-client-current.pem"),
                kubelet.user().certificateFile().orElseThrow());
    }

    private static Set<String> certificatesBesideTheCa() {
        Set<String> files =
                new HashSet<>(Set.of("/etc/kubernetes/pki/sa.key", "/etc/kubernetes/pki/sa.pub"));
        for (String name : List.of(
                "apiserver",
                "apiserver-etcd-client",
                "apiserver-kubelet-client",
                "etcd/ca",
                "etcd/healthcheck-client",
                "etcd/peer",
                "etcd/server",
                "front-proxy-ca",
                "front-proxy-client")) {
            files.add("/etc/kubernetes/pki/%s.crt".formatted(name));
            files.add("/etc/kubernetes/pki/%s.key".formatted(name));
        }
        return files;
    }

    @Test
    void aDryRunLeavesDiskRuntimeAndClusterUntouched() {
        Map<Path, String> before = lab.contents();
        lab.dryWorkflow()
                .run(lab.start(loaded, true), Selection.allBut(List.of("preflight")), lab.out);
        assertEquals(before, lab.contents());
        assertEquals(List.of(), lab.api.writes());
        assertTrue(
                lab.runner.commands().stream()
                        .allMatch(command -> command.startsWith("systemctl is-")),
                "only questions: " + lab.runner.commands());
        Set<String> files = certificatesBesideTheCa();
        files.addAll(Set.of(
                "/etc/kubernetes/admin.conf",
                "/etc/kubernetes/controller-manager.conf",
                "/etc/kubernetes/kubelet.conf",
                "/etc/kubernetes/manifests/etcd.yaml",
                "/etc/kubernetes/manifests/kube-apiserver.yaml",
                "/etc/kubernetes/manifests/kube-controller-manager.yaml",
                "/etc/kubernetes/manifests/kube-scheduler.yaml",
                "/etc/kubernetes/pki/ca.crt",
                "/etc/kubernetes/pki/ca.key",
                "/etc/kubernetes/scheduler.conf",
                "/etc/kubernetes/super-admin.conf",
                "/var/lib/etcd",
                "/var/lib/kubelet/config.yaml",
                "/var/lib/kubelet/instance-config.yaml",
                "/var/lib/kubelet/kubeadm-flags.env"));
        assertEquals(files, Named.files(String.join("\n", lab.out.in("dryrun"))));
        assertHasLine(
                "[dryrun] Would create ConfigMap kube-system/kubeadm-config:", lab.out.text());
        assertEquals(Set.of("CERTIFICATE", "PUBLIC KEY"), Named.pemBlocks(lab.out.text()));
    }

    @Test
    void kubeProxysDaemonSetIsPatchedBeforeItIsApplied() {
        lab.files.with(
                "/patches/kubeproxydaemonset.yaml",
                "spec: {template: {spec: {priorityClassName: mine, containers: [{name: kube-proxy, env: [{name: A, value: b}]}]}}}\n");
        LoadedInit patched = InitLab.load(CONFIG.replaceFirst(
                "bootstrapTokens", "patches: {directory: /patches}\nbootstrapTokens"));
        lab.workflow()
                .run(lab.start(patched, true), Selection.allBut(List.of("preflight")), lab.out);
        var pod = lab.api
                .get(DaemonSet.class, "kube-system", "kube-proxy")
                .orElseThrow()
                .getSpec()
                .getTemplate()
                .getSpec();
        assertEquals("mine", pod.getPriorityClassName());
        assertEquals(1, pod.getContainers().size());
        assertTrue(pod.getContainers().getFirst().getEnv().stream()
                .anyMatch(variable -> variable.getName().equals("A")));
        assertHasLine(
                "[patches] Applied patches of kubeproxydaemonset.yaml to target \"kubeproxydaemonset\"",
                lab.out.text());
    }

    /** F313: the members that join later would be removed. */
    @Test
    void anEtcdThatStartsAloneIsWarnedOf() {
        String config =
                CONFIG + "etcd: {local: {extraArgs: [{name: force-new-cluster, value: 'true'}]}}\n";
        lab.phases(lab.start(InitLab.load(config), false), "etcd/local");
        assertEquals(1, lab.out.warnings().size(), lab.out.warnings()::toString);
        assertEquals(
                Set.of("--force-new-cluster"), Named.flags(lab.out.warnings().getFirst()));

        lab.phases(lab.start(loaded, false), "etcd/local");
        assertEquals(1, lab.out.warnings().size(), lab.out.warnings()::toString);
    }

    /** The kubelet leaves such a pod out, and the node without it. */
    @Test
    void aPatchThatMakesAStaticPodReferToApiObjectsIsRefused() {
        lab.files.with("/patches/kube-scheduler.yaml", "spec: {serviceAccountName: scheduler}\n");
        String config = CONFIG.replaceFirst(
                "bootstrapTokens", "patches: {directory: /patches}\nbootstrapTokens");
        lab.phases(lab.start(InitLab.load(config), false), "control-plane/scheduler");
        assertEquals(1, lab.out.warnings().size(), lab.out.warnings()::toString);
        assertEquals(
                "the patches make the static pod of kube-scheduler refer to API objects: serviceAccountName; kubelets run it only with their feature gate PreventStaticPodAPIReferences off, and from v1.37 on not at all",
                lab.out.warnings().getFirst());

        lab.files.delete(Path.of("/etc/kubernetes/manifests/kube-scheduler.yaml"));
        InitRun newer = lab.start(InitLab.load(config.replace("v1.36.2", "v1.37.0")), false);
        PhaseFailure failure = assertThrows(
                PhaseFailure.class, () -> lab.phases(newer, "control-plane/scheduler"));
        assertEquals(
                "the patches make the static pod of kube-scheduler refer to API objects: serviceAccountName: the kubelet does not run a static pod that does, since v1.37 in any case; use files of this node (hostPath) and plain values in the patches instead",
                failure.getCause().getMessage(),
                failure.getCause()::getMessage);
        assertFalse(lab.files.exists(Path.of("/etc/kubernetes/manifests/kube-scheduler.yaml")));
    }

    /** The missing certificates are signed by it, as in a real run (kubernetes#139339). */
    @Test
    void aDryRunOfTheCertificatesUsesTheCaThatExists() {
        lab.phases(lab.start(loaded, false), "certs/ca");
        Map<Path, String> before = lab.contents();
        lab.dryWorkflow().run(lab.start(loaded, true), Selection.only("certs"), lab.out);
        assertEquals(before, lab.contents());
        assertHasLine("[certs] Using existing ca certificate authority", lab.out.text());
        assertEquals(
                certificatesBesideTheCa(), Named.files(String.join("\n", lab.out.in("dryrun"))));
    }

    // ---- CAs whose keys are kept elsewhere

    private ExternalAuthorities authorities() {
        KeyPairPool keys = KeyPairPool.onDemand(KeyAlgorithm.ECDSA_P256);
        CertificateStore certificates = new CertificateStore(lab.files, keys, lab.out);
        return new ExternalAuthorities(
                certificates,
                new KubeconfigStore(lab.files, certificates, keys, lab.out),
                lab.files);
    }

    private InitRun withCertificates() {
        return lab.phases(lab.start(loaded, false), "certs", "kubeconfig");
    }

    @Test
    void anOrdinaryCaIsNotExternal() {
        InitRun run = lab.start(loaded, false);
        assertFalse(authorities().check(run.node(), true), "there is none yet");
        withCertificates();
        assertFalse(authorities().check(run.node(), true));
    }

    @Test
    void anExternalCaWithEverythingItSignsIsAccepted() {
        InitRun run = withCertificates();
        lab.files.delete(PKI.resolve("ca.key"));
        assertTrue(authorities().check(run.node(), false));
        lab.files.delete(PKI.resolve("front-proxy-ca.key"));
        assertTrue(authorities().check(run.node(), false));
        lab.phases(run, "certs", "kubeconfig");
    }

    @Test
    void anExternalCasCertificatesAreNotUploaded() {
        InitRun run = withCertificates();
        lab.files.delete(PKI.resolve("front-proxy-ca.key"));
        assertThrows(UsageException.class, () -> authorities().check(run.node(), true));
    }

    @Test
    void anExternalCaWithoutALeafItsKeyOrAKubeconfigIsRefused() {
        for (String missing : List.of(
                "pki/apiserver.crt", "pki/apiserver-kubelet-client.key", "scheduler.conf")) {
            InitRun run = withCertificates();
            String text = lab.files.text("/etc/kubernetes/" + missing);
            lab.files.delete(PKI.resolve("ca.key"));
            lab.files.delete(Path.of("/etc/kubernetes", missing));
            HostException refused =
                    assertThrows(HostException.class, () -> authorities().check(run.node(), false));
            assertTrue(refused.getMessage().contains(missing), refused.getMessage());
            lab.files.with("/etc/kubernetes/" + missing, text);
            lab.files.deleteContents(Path.of("/etc/kubernetes"));
        }
    }

    @Test
    void aLeafOfAnotherCaIsRefused() {
        InitRun run = withCertificates();
        lab.files.with(
                "/etc/kubernetes/pki/apiserver.crt",
                lab.files.text("/etc/kubernetes/pki/etcd/server.crt"));
        lab.files.delete(PKI.resolve("ca.key"));
        assertThrows(HostException.class, () -> authorities().check(run.node(), false));
    }
}
