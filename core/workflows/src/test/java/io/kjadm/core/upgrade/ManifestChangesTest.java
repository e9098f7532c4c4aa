package io.kjadm.core.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.manifests.ManifestException;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.manifests.PatchFile;
import io.kjadm.manifests.PatchTarget;
import io.kjadm.manifests.Patches;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;

/** An API server's manifest, generated, changed by hand, and generated for the next version. */
class ManifestChangesTest {

    private static final String GENERATED = """
            apiVersion: v1
            kind: Pod
            metadata:
              annotations: {a/b: '1'}
              labels: {component: kube-apiserver, tier: control-plane}
              name: kube-apiserver
              namespace: kube-system
            spec:
              containers:
              - command:
                - kube-apiserver
                - --allow-privileged=true
                - --secure-port=6443
                - --service-account-issuer=https://a
                image: registry.k8s.io/kube-apiserver:v1.36.2
                livenessProbe: {failureThreshold: 8, periodSeconds: 10}
                name: kube-apiserver
                resources: {requests: {cpu: 250m}}
                volumeMounts:
                - {mountPath: /etc/ssl/certs, name: ca-certs, readOnly: true}
              hostNetwork: true
              volumes:
              - {hostPath: {path: /etc/ssl/certs, type: DirectoryOrCreate}, name: ca-certs}
            status: {}
            """;

    /** With another image, another flag, and one flag less. */
    private static final String NEXT = GENERATED
            .replace("v1.36.2", "v1.37.0")
            .replace(
                    "    - --secure-port=6443\n",
                    "    - --profiling=false\n    - --secure-port=6443\n");

    private static ManifestChanges changes(String found) {
        return ManifestChanges.between(PatchTarget.KUBE_APISERVER, GENERATED, found, NEXT);
    }

    private static String keepable(ManifestChanges changes) {
        return String.join(
                "\n", changes.keepable().stream().map(Object::toString).toList());
    }

    private static Map<String, Object> adopted(ManifestChanges changes) {
        return adopted(changes, PatchTarget.KUBE_APISERVER, NEXT);
    }

    private static Map<String, Object> adopted(
            ManifestChanges changes, PatchTarget target, String next) {
        return Patches.of(changes.patches("v1")).apply(target, ManifestYaml.readObject(next));
    }

    /** What is hoped for: the next manifest, edited as the old one was. */
    private static void keeps(String found, String edited) {
        ManifestChanges changes = changes(found);
        assertEquals(ManifestYaml.readObject(edited), adopted(changes));
        assertEquals(List.of(), changes.overridden());
    }

    @Test
    void anUntouchedManifestHasNone() {
        ManifestChanges changes = changes(GENERATED);
        assertEquals(List.of(), changes.keepable());
        assertEquals(List.of(), changes.overridden());
        assertEquals(List.of(), changes.patches("v1"));
    }

    @Test
    void orderOfKeysAndAnEmptyStatusAreNoChange() {
        String found = ManifestYaml.write(ManifestYaml.readObject(GENERATED))
                .replace("status: {}\n", "")
                .replace(
                        "\n  name: kube-apiserver\n",
                        "\n  creationTimestamp: null\n  name: kube-apiserver\n");
        assertEquals("", keepable(changes(found)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cpu: 250m | cpu: 500m | spec.containers[kube-apiserver].resources.requests.cpu: 250m → 500m",
                "failureThreshold: 8 | failureThreshold: 3 | spec.containers[kube-apiserver].livenessProbe.failureThreshold: 8 → 3",
                "hostNetwork: true | hostNetwork: false | spec.hostNetwork: true → false",
                "a/b: '1' | a/b: '1', c: '2' | metadata.annotations.c: (nothing) → 2",
                "{a/b: '1'} | {} | metadata.annotations.a/b: 1 → (nothing)",
                "hostNetwork: true | dnsPolicy: Default | spec.dnsPolicy: (nothing) → Default",
                "tier: control-plane} | tier: control-plane, x: y} | metadata.labels.x: (nothing) → y",
                "readOnly: true | readOnly: false | spec.containers[kube-apiserver].volumeMounts[/etc/ssl/certs].readOnly: true → false",
            })
    void fieldsAreNamedAndKept(String before, String after, String told) {
        String found = GENERATED.replace(before, after);
        assertTrue(keepable(changes(found)).contains(told), keepable(changes(found)));
        keeps(found, NEXT.replace(before, after));
    }

    @Test
    void anAddedFlagIsKeptWithoutTheOthers() {
        String found = GENERATED.replace(
                "    - --secure-port=6443\n",
                "    - --audit-log-path=/var/log/a\n    - --secure-port=6443\n");
        ManifestChanges changes = changes(found);
        assertEquals(
                "spec.containers[kube-apiserver].command[--audit-log-path]: (nothing) → /var/log/a",
                keepable(changes));
        assertEquals(
                List.of(new PatchFile("kube-apiserver-v1+json.yaml", """
                        # Made by hand in the manifest of kube-apiserver, kept by --adopt-changes.
                        - op: add
                          path: /spec/containers/0/command/-
                          value: --audit-log-path=/var/log/a
                        """)), changes.patches("v1"));
        assertEquals(
                List.of(
                        "kube-apiserver",
                        "--allow-privileged=true",
                        "--profiling=false",
                        "--secure-port=6443",
                        "--service-account-issuer=https://a",
                        "--audit-log-path=/var/log/a"),
                command(adopted(changes)));
    }

    @Test
    void aChangedFlagKeepsItsPlaceAndNewOnesStay() {
        keeps(
                GENERATED.replace("--secure-port=6443", "--secure-port=7443"),
                NEXT.replace("--secure-port=6443", "--secure-port=7443"));
    }

    @Test
    void aRemovedFlagStaysRemoved() {
        String flag = "    - --allow-privileged=true\n";
        keeps(GENERATED.replace(flag, ""), NEXT.replace(flag, ""));
    }

    @Test
    void aFlagThatIsGivenTwiceIsKeptSo() {
        String flag = "    - --service-account-issuer=https://a\n";
        String twice = flag + "    - --service-account-issuer=https://b\n";
        keeps(GENERATED.replace(flag, twice), NEXT.replace(flag, twice));
    }

    @Test
    void aVolumeWithItsMountIsKept() {
        String mount = "    - {mountPath: /etc/ssl/certs, name: ca-certs, readOnly: true}\n";
        String volume =
                "  - {hostPath: {path: /etc/ssl/certs, type: DirectoryOrCreate}, name: ca-certs}\n";
        String moreMounts = mount + "    - {mountPath: /audit, name: audit}\n";
        String moreVolumes = volume + "  - {emptyDir: {}, name: audit}\n";
        keeps(
                GENERATED.replace(mount, moreMounts).replace(volume, moreVolumes),
                NEXT.replace(mount, moreMounts).replace(volume, moreVolumes));
    }

    @Test
    void aRemovedMountStaysRemoved() {
        String mounts = "    - {mountPath: /etc/ssl/certs, name: ca-certs, readOnly: true}\n";
        String found = GENERATED.replace(mounts, "    - {mountPath: /x, name: ca-certs}\n");
        keeps(found, NEXT.replace(mounts, "    - {mountPath: /x, name: ca-certs}\n"));
    }

    @Test
    void aSecondContainerIsKept() {
        String added = "  - {image: side:1, name: side}\n  hostNetwork: true\n";
        keeps(
                GENERATED.replace("  hostNetwork: true\n", added),
                NEXT.replace("  hostNetwork: true\n", added));
    }

    @Test
    void environmentVariablesAreKept() {
        String name = "    name: kube-apiserver\n";
        String env = "    env: [{name: GOGC, value: '50'}]\n" + name;
        String found = GENERATED.replace(name, env);
        assertEquals(
                "spec.containers[kube-apiserver].env[GOGC]: (nothing) → {\"name\":\"GOGC\",\"value\":\"50\"}",
                keepable(changes(found)));
        keeps(found, NEXT.replace(name, env));
    }

    @Test
    void whatTheNextManifestHasAnywayIsNotTold() {
        assertEquals("", keepable(changes(NEXT)));
        assertEquals(List.of(), changes(NEXT).overridden());
    }

    @Test
    void whatTheUpgradeChangesTooIsOverridden() {
        ManifestChanges changes = changes(GENERATED.replace(":v1.36.2", ":v1.36.7"));
        assertEquals("", keepable(changes));
        assertEquals(
                "[spec.containers[kube-apiserver].image: registry.k8s.io/kube-apiserver:v1.36.2 → registry.k8s.io/kube-apiserver:v1.36.7]",
                changes.overridden().toString());
        assertEquals(List.of(), changes.patches("v1"));
    }

    @Test
    void theMemberListOfEtcdIsNobodysChange() {
        String etcd = """
                apiVersion: v1
                kind: Pod
                metadata: {name: etcd}
                spec:
                  containers:
                  - command: [etcd, --initial-cluster=a=https://a:2380, --name=a]
                    name: etcd
                """;
        String found = etcd.replace(
                        "a=https://a:2380",
                        "\"a=https://a:2380,b=https://b:2380\", --initial-cluster-state=existing, --max-wals=9")
                .replace("--initial-cluster=\"a", "\"--initial-cluster=a");
        ManifestChanges changes = ManifestChanges.between(PatchTarget.ETCD, etcd, found, etcd);
        assertEquals("spec.containers[etcd].command[--max-wals]: (nothing) → 9", keepable(changes));
        assertEquals(
                List.of("etcd", "--initial-cluster=a=https://a:2380", "--name=a", "--max-wals=9"),
                command(adopted(changes, PatchTarget.ETCD, etcd)));
    }

    @Test
    void theFilesSayWhereTheyComeFrom() {
        ManifestChanges changes = changes(GENERATED.replace("cpu: 250m", "cpu: 500m"));
        PatchFile file = changes.patches("v1-36-2").getFirst();
        assertEquals("kube-apiserver-v1-36-2+strategic.yaml", file.name());
        assertTrue(file.content().startsWith("# Made by hand"), file.content());
        assertThrows(IllegalArgumentException.class, () -> changes.patches("v1.37"));
    }

    @Test
    void whatIsNoManifestIsRefused() {
        assertThrows(ManifestException.class, () -> changes("- a\n"));
        assertThrows(ManifestException.class, () -> changes("a: [\n"));
    }

    private static List<?> command(Map<String, Object> pod) {
        Map<?, ?> spec = (Map<?, ?>) pod.get("spec");
        Map<?, ?> container = (Map<?, ?>) ((List<?>) spec.get("containers")).getFirst();
        return (List<?>) container.get("command");
    }
}
