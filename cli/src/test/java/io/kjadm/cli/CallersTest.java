package io.kjadm.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.TestConsole.Run;
import io.kjadm.cli.console.ProgramName;
import io.kjadm.manifests.KubernetesReleases;
import io.kjadm.manifests.ManifestYaml;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The command lines of the programs that call kubeadm, and what each of them reads from the output:
 * kind, minikube, kubespray, Cluster API, kinder, sealos and kubekey.
 */
class CallersTest {

    private static final String RELEASE = KubernetesReleases.KNOWN.newest().newestRelease();

    /** Not there: a command line that is understood ends with the file's name, not with usage. */
    private static final String MISSING = "/nonexistent/F";

    @TempDir
    static Path folder;

    private static Run dryRun;

    private static Run run(String words) {
        return TestConsole.runAs(ProgramName.KUBEADM, words.split(" "));
    }

    @BeforeAll
    static void runOnce() throws IOException {
        Path config = Files.writeString(folder.resolve("kubeadm.yaml"), """
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: InitConfiguration
                localAPIEndpoint: {advertiseAddress: 192.0.2.7}
                nodeRegistration: {criSocket: "unix:///nowhere.sock", name: node-1}
                ---
                """ + cluster("pki"));
        dryRun = run("init --dry-run --upload-certs --ignore-preflight-errors=all --v=6 --config="
                + config);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // kind
                "init --config=F --skip-token-print --v=6",
                "join --config F --v=6",
                "init phase certs apiserver --config F",
                // minikube
                "init --config F --ignore-preflight-errors=DirAvailable--etc-kubernetes-manifests,Port-10250,Swap,NumCPU,Mem",
                "init phase certs all --config F",
                "init phase kubeconfig all --config F",
                "init phase kubelet-start --config F",
                "init phase control-plane all --config F",
                "init phase etcd local --config F",
                "init phase addon all --config F",
                "init phase addon coredns --config F",
                "init --config F --skip-phases=addon/kube-proxy --node-name=m01 --ignore-preflight-errors=Swap",
                "token create --print-join-command --ttl=0 --kubeconfig F",
                "certs renew all --config F",
                // kubespray
                "config validate --config F",
                "config images list --config=F",
                "init --config=F --ignore-preflight-errors=all --skip-phases=addon/coredns --upload-certs",
                "init --config=F --ignore-preflight-errors= --skip-phases= --upload-certs",
                "init phase --config F upload-certs --upload-certs",
                "--kubeconfig F token create abcdef.0123456789abcdef",
                "--kubeconfig F token create",
                "--kubeconfig F token delete abcdef",
                "join --config F --ignore-preflight-errors=all --skip-phases=preflight",
                "join --config F --ignore-preflight-errors= --skip-phases=",
                "join phase control-plane-prepare download-certs --config F",
                "join phase control-plane-prepare certs --config F",
                "upgrade apply -y v1.36.2 --config=F",
                "upgrade node --config=F",
                "init phase upload-config all --config F",
                "init phase addon kube-proxy --config F",
                "kubeconfig user --client-name N --org O --config F",
                // Cluster API
                "init --config F --v 5",
                "join --config F --v 5",
                // kinder
                "init --config=F --v=6 --upload-certs --ignore-preflight-errors=Swap,SystemVerification,FileContent--proc-sys-net-bridge-bridge-nf-call-iptables",
                "init phase preflight --config=F --v=6",
                "init phase upload-certs --upload-certs --config=F --v=6",
                "init phase mark-control-plane --config=F --v=6",
                "init phase bootstrap-token --config=F --v=6",
                "join phase preflight --config=F --v=6",
                "join phase control-plane-prepare all --config=F --v=6",
                "join phase kubelet-start --config=F --v=6",
                "join phase control-plane-join all --config=F --v=6",
                "upgrade diff --v=6 --config F",
                "upgrade plan --v=6 --config F",
                "upgrade apply --v=6 --config F",
                "upgrade apply -f v1.36.2 --config F",
                "upgrade apply -f v1.36.2 --patches=/kinder/patches --kubeconfig F",
                "upgrade node --v=6 --config F",
                "reset --v=6 --config F",
                "certs check-expiration --config F",
                // sealos
                "init --config=F --skip-certificate-key-print --skip-token-print -v 6 --ignore-preflight-errors=SystemVerification",
                "join --config=F -v 6",
                "init phase upload-config kubeadm --config=F -v 6",
                "upgrade apply v1.36.2 --certificate-renewal=false --yes --ignore-preflight-errors=SystemVerification,ControlPlaneNodesReady,CreateJob --config F",
                "upgrade node --certificate-renewal=false --skip-phases preflight --config F",
                "certs renew all -v 6 --config F",
                "reset -f -v 6 --config F",
                // kubekey
                "init --config F --ignore-preflight-errors=ImagePull",
                "init phase upload-certs --upload-certs --config=F",
                "init phase upload-config kubeadm --config F",
                "init phase control-plane apiserver --config F",
                "join --config F --ignore-preflight-errors=FileExisting-crictl,ImagePull",
                "reset -f --skip-phases remove-etcd-member --config F"
            })
    void theLineIsUnderstood(String words) {
        Run run = run(words.replaceFirst("(?<=[ =])F(?= |$)", MISSING));
        assertEquals(1, run.status(), run.all());
        assertTrue(run.err().contains(MISSING), run.all());
    }

    /** kubekey's, kinder's and sealos'. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "apiserver",
                "apiserver-kubelet-client",
                "front-proxy-client",
                "etcd-healthcheck-client",
                "etcd-peer",
                "etcd-server",
                "admin.conf",
                "controller-manager.conf",
                "scheduler.conf",
                "super-admin.conf"
            })
    void eachCertificateIsRenewedByItsName(String name) {
        theLineIsUnderstood("certs renew %s --config F".formatted(name));
    }

    /** kinder's workflow "dryrun", and lines of flatcar and minikube, on a machine that is no node. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "init --token abcdef.0123456789abcdef --cri-socket=unix:///var/run/crio/crio.sock --skip-phases=addon/kube-proxy --control-plane-endpoint 10.0.0.100:6444 --upload-certs",
                "join JOIN --control-plane --certificate-key 2e3c4239bc78c27f40530ddc2df7049a2c5ff146e5a702e9c9b6cdbec70df9f3",
                "join JOIN",
                "join JOIN --cri-socket unix:///run/c.sock --node-name=n --control-plane --certificate-key 2e3c4239bc78c27f40530ddc2df7049a2c5ff146e5a702e9c9b6cdbec70df9f3 --apiserver-advertise-address=192.0.2.7 --apiserver-bind-port=8443",
                "upgrade apply -f v1.36.2 --allow-release-candidate-upgrades=true --allow-experimental-upgrades=true",
                "upgrade node",
                "reset --force=true",
                "reset --cri-socket /run/containerd/containerd.sock --force"
            })
    void aDryRunNeedsNoCluster(String words) {
        Run run = run(words.replace(
                        "JOIN",
                        "192.168.0.101:6443 --token abcdef.abcdef0123456789 --discovery-token-ca-cert-hash sha256:3b793efefe27a19f93b0fbe6e637e9c41d0dde8a377d6ab1c0f656bf1136dd8a")
                + " --dry-run --ignore-preflight-errors=all");
        assertEquals(0, run.status(), run.all());
        assertTrue(
                run.outLines().stream().anyMatch(line -> line.startsWith("[dryrun] Would ")),
                run.all());
    }

    /** kinder, and kubekey, which compares it for equality with the version that it deploys. */
    @ParameterizedTest
    @ValueSource(strings = {"version -o=short", "version -o short"})
    void theVersionIsOneWordOnOneLine(String words) {
        assertEquals(RELEASE + "\n", run(words).out());
    }

    /** minikube splits each line at the colon, and takes the first four by their place. */
    @Test
    void imagesAreListedInKubeadmsOrder() {
        Run run = run("config images list --kubernetes-version=" + RELEASE);
        assertEquals(0, run.status(), run.all());
        List<String> lines = run.outLines();
        lines.forEach(line -> assertEquals(2, line.split(":").length, line));
        // kinder looks for the one of etcd, kind for that of pause
        assertEquals(
                List.of(
                        "kube-apiserver",
                        "kube-controller-manager",
                        "kube-scheduler",
                        "kube-proxy",
                        "coredns",
                        "pause",
                        "etcd"),
                lines.stream()
                        .map(line -> line.substring(line.lastIndexOf('/') + 1, line.indexOf(':')))
                        .toList());
    }

    @Test
    void sealosReadsTheImagesAsAnObject() {
        Run run = run("config images list --kubernetes-version " + RELEASE + " -o json");
        assertEquals(
                run("config images list --kubernetes-version " + RELEASE).outLines(),
                ManifestYaml.readObject(run.out()).get("images"));
    }

    @Test
    void minikubeFindsItsThreeSteps() {
        assertEquals(0, dryRun.status(), dryRun.all());
        for (String prefix : List.of("[certs] ", "[control-plane] ", "[bootstrap-token] ")) {
            assertTrue(
                    dryRun.outLines().stream().anyMatch(line -> line.startsWith(prefix)),
                    prefix + dryRun.all());
        }
    }

    /** kubespray's expression; awk's {@code /Using certificate key:/{getline; print}} of kubekey. */
    @Test
    void theCertificateKeyIsFoundInBothPlaces() {
        List<String> lines = dryRun.outLines();
        Pattern argument = Pattern.compile("--certificate-key ([^ ]+)");
        List<String> keys = lines.stream()
                .map(argument::matcher)
                .filter(Matcher::find)
                .map(found -> found.group(1))
                .toList();
        int announced = lines.indexOf("[upload-certs] Using certificate key:");
        assertTrue(announced >= 0, dryRun.all());
        assertEquals(List.of(lines.get(announced + 1)), keys);
    }

    @Test
    void theJoinCommandIsKubeadms() {
        assertEquals(
                Set.of("kubeadm join cluster.example:6443"),
                dryRun.outLines().stream()
                        .map(String::strip)
                        .filter(line -> line.matches("(kubeadm|kjadm) join .*"))
                        .map(line -> line.replaceFirst(" --.*", ""))
                        .collect(Collectors.toSet()),
                dryRun.all());
    }

    /** The document of a cluster whose certificates are in that folder. */
    private static String cluster(String certificates) {
        return """
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: %s
                controlPlaneEndpoint: cluster.example:6443
                certificatesDir: %s
                encryptionAlgorithm: ECDSA-P256
                """.formatted(RELEASE, folder.resolve(certificates));
    }

    /** kubespray writes standard output to a file. */
    @Test
    void aUsersKubeconfigIsAloneOnStandardOutput() throws IOException {
        Path config = Files.writeString(folder.resolve("user.yaml"), cluster("user-pki"));
        Run ca = run("init phase certs ca --config " + config);
        assertEquals(0, ca.status(), ca.all());
        Run run = run("kubeconfig user --client-name N --org O --config " + config);
        assertEquals(0, run.status(), run.all());
        assertEquals("Config", ManifestYaml.readObject(run.out()).get("kind"), run.all());
    }

    @ParameterizedTest
    @ValueSource(strings = {"certs certificate-key", "token generate"})
    void whatIsMadeIsTheOnlyLine(String words) {
        Run run = run(words);
        assertEquals(0, run.status(), run.all());
        assertEquals(1, run.outLines().size(), run.all());
        assertEquals("", run.err());
    }
}
