package io.kjadm.manifests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Pod;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;

final class PatchesTest {

    private static final String POD = """
            metadata:
              labels: {a: "1", b: "2"}
              finalizers: [f1, f2]
            spec:
              containers:
              - name: main
                image: x
                command: [run, --a]
                env:
                - {name: A, value: "1"}
                - {name: B, value: "2"}
                volumeMounts:
                - {mountPath: /a, name: va}
              volumes:
              - {name: va, hostPath: {path: /a, type: Directory}}
              - {name: vb, hostPath: {path: /b}}
              tolerations:
              - {key: x, operator: Exists}
            """;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "etcd.yaml|ETCD|STRATEGIC",
                "etcd0+merge.yaml|ETCD|MERGE",
                "kube-apiserver-audit+json.json|KUBE_APISERVER|JSON",
                "kubeletconfiguration+strategic.yaml|KUBELET_CONFIGURATION|STRATEGIC",
                "corednsdeployment1.json|COREDNS_DEPLOYMENT|STRATEGIC",
                "kubeproxydaemonset.yaml|KUBE_PROXY_DAEMONSET|STRATEGIC",
                "kube-scheduler+mergeanything.old.yaml|KUBE_SCHEDULER|MERGE",
                "kube-controller-manager.x+json.yaml|KUBE_CONTROLLER_MANAGER|STRATEGIC"
            })
    void theNameTellsTargetAndType(String name, PatchTarget target, PatchFile.Type type) {
        PatchFile file = new PatchFile(name, "a: 1");
        assertEquals(target, file.target());
        assertEquals(type, file.type());
    }

    @Test
    void filesThatAreNoPatchesArePassedOverWithAReason() {
        Patches patches = Patches.of(List.of(
                new PatchFile("etcd.yml", "a: 1"),
                new PatchFile("kube-proxy.yaml", "a: 1"),
                new PatchFile("etcd.yaml", " \n"),
                new PatchFile("README", "")));
        assertEquals(
                List.of("etcd.yml", "kube-proxy.yaml", "etcd.yaml", "README"),
                patches.ignored().stream().map(Patches.Ignored::fileName).toList());
        assertEquals(List.of(), patches.filesFor(PatchTarget.ETCD));
    }

    @ParameterizedTest
    @ValueSource(strings = {"etcd+.yaml", "etcd+yaml.yaml", "kube-apiserver0+Json.json"})
    void anUnknownTypeIsFatal(String name) {
        var refusal = assertThrows(
                ManifestException.class, () -> Patches.of(List.of(new PatchFile(name, "a: 1"))));
        assertEquals(
                "patch file %s: the type after + has to be one of strategic, merge, json"
                        .formatted(name),
                refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"etcd.yaml|- a", "etcd+json.yaml|a: 1", "etcd+merge.yaml|a: [", "etcd.json|{a"
            })
    void aPatchOfTheWrongShapeNamesItsFile(String name, String content) {
        var refusal = assertThrows(
                ManifestException.class, () -> Patches.of(List.of(new PatchFile(name, content))));
        assertTrue(refusal.getMessage().startsWith("patch file " + name), refusal.getMessage());
    }

    @Test
    void everyDocumentOfEveryFileIsAppliedInOrder() {
        Patches patches = Patches.of(List.of(
                new PatchFile("etcd0+merge.yaml", "a: 1\nb: 1\n---\nb: 2\n"),
                new PatchFile("kube-apiserver+merge.yaml", "a: 9\n"),
                new PatchFile(
                        "etcd1+json.json",
                        "[\t{\"op\": \"add\", \"path\": \"/c\", \"value\": 3}]")));
        assertEquals(
                Map.of("a", 1, "b", 2, "c", 3), patches.apply(PatchTarget.ETCD, Map.of("a", 0)));
        assertEquals(
                List.of("etcd0+merge.yaml", "etcd1+json.json"), patches.filesFor(PatchTarget.ETCD));
    }

    @Test
    void aFailureNamesFileTypeTargetAndText() {
        Patches patches = Patches.of(
                List.of(new PatchFile("etcd+json.yaml", "- {op: remove, path: /spec/x}\n")));
        var refusal =
                assertThrows(ManifestException.class, () -> patches.apply(PatchTarget.ETCD, pod()));
        for (String part : List.of(
                "etcd+json.yaml", "json patch", "to etcd", "nothing at /spec/x", "op: remove")) {
            assertTrue(refusal.getMessage().contains(part), refusal.getMessage());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "etcd.yaml | kind: Evil",
                "etcd+merge.yaml | 'apiVersion: v2'",
                "etcd+json.yaml | '[{op: remove, path: /kind}]'"
            })
    void aPatchDoesNotMakeSomethingElseOfIt(String name, String text) {
        Patches patches = Patches.of(List.of(new PatchFile(name, text)));
        ManifestException refused = assertThrows(
                ManifestException.class,
                () -> patches.apply(PatchTarget.ETCD, Map.of("apiVersion", "v1", "kind", "Pod")));
        assertTrue(refused.getMessage().contains(name), refused.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "metadata: {annotations: {version: 1.10}} | metadata.annotations.version",
                "metadata: {labels: {a: true}} | metadata.labels.a",
                "spec: {containers: [{name: main, env: [{name: A, value: 80}]}]} | env[0].value",
                "spec: {containers: [{name: main, args: [7]}]} | spec.containers[0].args[0]",
                "spec: {terminationGracePeriodSeconds: 5.5} | terminationGracePeriodSeconds",
                "'spec: {priority: \"6\"}' | spec.priority",
                "'spec: {hostNetwork: \"true\"}' | spec.hostNetwork",
                "spec: {hostNetwork: 1} | spec.hostNetwork",
            })
    void aValueOfAnotherTypeIsRefusedNotChanged(String patch, String field) {
        Patches patches = Patches.of(List.of(new PatchFile("etcd.yaml", patch)));
        Pod pod = ManifestYaml.typed(pod(), Pod.class);
        ManifestException refused = assertThrows(
                ManifestException.class, () -> patches.apply(PatchTarget.ETCD, pod, Pod.class));
        assertTrue(refused.getMessage().contains(field), refused.getMessage());
        assertTrue(refused.getMessage().contains("etcd.yaml"), refused.getMessage());
    }

    @Test
    void quantitiesAndPortsMayBeNumbersOrText() {
        Patches patches = Patches.of(List.of(new PatchFile("etcd.yaml", """
                spec:
                  containers:
                  - name: main
                    resources: {requests: {cpu: 0.5, memory: 1024, storage: 1Gi}}
                    livenessProbe: {httpGet: {port: 80, path: /}}
                    readinessProbe: {httpGet: {port: web, path: /}}
                """)));
        var main = patches.apply(PatchTarget.ETCD, ManifestYaml.typed(pod(), Pod.class), Pod.class)
                .getSpec()
                .getContainers()
                .getFirst();
        assertEquals("0.5", main.getResources().getRequests().get("cpu").toString());
        assertEquals("1024", main.getResources().getRequests().get("memory").toString());
        assertEquals(80, main.getLivenessProbe().getHttpGet().getPort().getIntVal());
        assertEquals("web", main.getReadinessProbe().getHttpGet().getPort().getStrVal());
    }

    @Test
    void whatComesOutHasToBeWhatWentIn() {
        Patches patches =
                Patches.of(List.of(new PatchFile("etcd+merge.yaml", "spec: {containers: none}\n")));
        Pod pod = ManifestYaml.typed(pod(), Pod.class);
        assertThrows(
                ManifestException.class, () -> patches.apply(PatchTarget.ETCD, pod, Pod.class));
        assertSame(pod, patches.apply(PatchTarget.KUBE_APISERVER, pod, Pod.class));
    }

    @Test
    void itemsAreMergedByTheirKey() {
        Map<String, Object> merged = strategic("""
                metadata:
                  labels: {b: null, c: "3"}
                  finalizers: [f3, f1]
                spec:
                  containers:
                  - name: main
                    image: y
                    env: [{name: B, value: "9"}, {name: C, value: "3"}]
                  - name: side
                    image: z
                """);
        assertEquals(ManifestYaml.read("""
                metadata:
                  labels: {a: "1", c: "3"}
                  finalizers: [f1, f2, f3]
                spec:
                  containers:
                  - name: main
                    image: y
                    command: [run, --a]
                    env:
                    - {name: A, value: "1"}
                    - {name: B, value: "9"}
                    - {name: C, value: "3"}
                    volumeMounts:
                    - {mountPath: /a, name: va}
                  - {name: side, image: z}
                  volumes:
                  - {name: va, hostPath: {path: /a, type: Directory}}
                  - {name: vb, hostPath: {path: /b}}
                  tolerations:
                  - {key: x, operator: Exists}
                """), merged);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "volumes: [{name: va, $patch: delete}]|volumes|[{name: vb, hostPath: {path: /b}}]",
                "volumes: [{$patch: replace}, {name: n}]|volumes|[{name: n}]",
                "volumes: [{$patch: replace}]|volumes|[]",
                "volumes: [{name: nope, $patch: delete}]|volumes|"
                        + "[{name: va, hostPath: {path: /a, type: Directory}}, {name: vb, hostPath: {path: /b}}]",
                "volumes: [{name: va, $retainKeys: [name, emptyDir], emptyDir: {}}]|volumes|"
                        + "[{name: va, emptyDir: {}}, {name: vb, hostPath: {path: /b}}]",
                "{$setElementOrder/volumes: [{name: vb}, {name: va}], volumes: [{name: vb, x: 1}]}|volumes|"
                        + "[{name: vb, hostPath: {path: /b}, x: 1}, {name: va, hostPath: {path: /a, type: Directory}}]",
                "tolerations: [{key: y}]|tolerations|[{key: y}]",
                "tolerations: null|tolerations|null",
                "{$patch: replace, a: 1}|a|1",
                "{$patch: replace, a: 1}|volumes|null"
            })
    void directivesAreFollowed(String spec, String field, String expected) {
        Map<?, ?> merged =
                (Map<?, ?>) strategic("spec: " + (spec.startsWith("{") ? spec : "{" + spec + "}"))
                        .get("spec");
        assertEquals(ManifestYaml.read(expected), merged.get(field));
    }

    @Test
    void plainValuesCanBeTakenOutOfAList() {
        Map<?, ?> metadata =
                (Map<?, ?>) strategic("metadata: {$deleteFromPrimitiveList/finalizers: [f1]}")
                        .get("metadata");
        assertEquals(List.of("f2"), metadata.get("finalizers"));
    }

    @Test
    void directivesAndNullsDoNotSurviveInNewParts() {
        Map<?, ?> spec =
                (Map<?, ?>) strategic("spec: {affinity: {a: null, b: {$patch: merge, c: 1}}}")
                        .get("spec");
        assertEquals(Map.of("b", Map.of("c", 1)), spec.get("affinity"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spec: {volumes: [{hostPath: {}}]}",
                "spec: {volumes: [text]}",
                "spec: {$patch: remove}"
            })
    void whatCannotBeMergedIsRefused(String patch) {
        assertThrows(ManifestException.class, () -> strategic(patch));
    }

    @Test
    void kubeletConfigurationHasNoKeysToMergeBy() {
        Patches patches = Patches.of(List.of(new PatchFile(
                "kubeletconfiguration.yaml",
                "clusterDNS: [10.0.0.1]\nauthentication: {anonymous: {enabled: true}}\n")));
        assertEquals(
                ManifestYaml.read(
                        "{clusterDNS: [10.0.0.1], authentication: {anonymous: {enabled: true}, w: 1}}"),
                patches.apply(
                        PatchTarget.KUBELET_CONFIGURATION,
                        ManifestYaml.readObject(
                                "{clusterDNS: [10.96.0.10], authentication: {anonymous: {enabled: false}, w: 1}}")));
    }

    /** The cases of RFC 7386 appendix A whose target and patch are objects. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{a: b}|{a: c}|{a: c}",
                "{a: b}|{b: c}|{a: b, b: c}",
                "{a: b}|{a: null}|{}",
                "{a: b, b: c}|{a: null}|{b: c}",
                "{a: [b]}|{a: c}|{a: c}",
                "{a: c}|{a: [b]}|{a: [b]}",
                "{a: {b: c}}|{a: {b: d, c: null}}|{a: {b: d}}",
                "{a: [{b: c}]}|{a: [1]}|{a: [1]}",
                "{e: null}|{a: 1}|" + "{e: null, a: 1}",
                "{}|{a: {bb: {ccc: null}}}|{a: {bb: {}}}"
            })
    void mergePatchFollowsItsRfc(String target, String patch, String expected) {
        assertEquals(
                ManifestYaml.read(expected),
                MergePatch.apply(ManifestYaml.readObject(target), ManifestYaml.readObject(patch)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{a: 1}|[{op: add, path: /b, value: 2}]|{a: 1, b: 2}",
                "{a: [1, 3]}|[{op: add, path: /a/1, value: 2}]|{a: [1, 2, 3]}",
                "{a: [1]}|[{op: add, path: /a/-, value: 2}]|{a: [1, 2]}",
                "{a: [1]}|[{op: add, path: /a/1, value: 2}]|{a: [1, 2]}",
                "{a: [1, 2]}|[{op: remove, path: /a/0}]|{a: [2]}",
                "{a: [1, 2]}|[{op: replace, path: /a/1, value: null}]|{a: [1, null]}",
                "{a: {b: 1}}|[{op: move, from: /a/b, path: /c}]|{a: {}, c: 1}",
                "{a: {b: 1}}|[{op: copy, from: /a, path: /c}, {op: remove, path: /c/b}]|{a: {b: 1}, c: {}}",
                "{a/b: 1, m~n: 2}|[{op: test, path: /a~1b, value: 1}, {op: remove, path: /m~0n}]|{a/b: 1}"
            })
    void jsonPatchFollowsItsRfc(String target, String operations, String expected) {
        assertEquals(
                ManifestYaml.read(expected),
                JsonPatch.apply(
                        ManifestYaml.readObject(target), (List<?>) ManifestYaml.read(operations)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{op: remove, path: /x}",
                "{op: replace, path: /x, value: 1}",
                "{op: add, path: /x/y, value: 1}",
                "{op: add, path: /a/3, value: 1}",
                "{op: add, path: /a/01, value: 1}",
                "{op: remove, path: /a/-}",
                "{op: test, path: /b, value: 2}",
                "{op: add, path: /z}",
                "{op: bend, path: /a}",
                "{path: /a}",
                "{op: add, path: b, value: 1}",
                "{op: remove, path: ''}",
                "text"
            })
    void operationsThatDoNotFitFail(String operation) {
        Map<String, Object> target = ManifestYaml.readObject("{a: [1], b: 1}");
        List<?> operations = (List<?>) ManifestYaml.read("[" + operation + "]");
        assertThrows(ManifestException.class, () -> JsonPatch.apply(target, operations));
    }

    private static Map<String, Object> pod() {
        return ManifestYaml.readObject(POD);
    }

    private static Map<String, Object> strategic(String patch) {
        Map<String, Object> target = pod();
        Map<String, Object> merged = Patches.of(
                        List.of(new PatchFile("kube-apiserver.yaml", patch)))
                .apply(PatchTarget.KUBE_APISERVER, target);
        assertEquals(pod(), target, "the target itself is left alone");
        return merged;
    }
}
