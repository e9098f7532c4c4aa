package io.kjadm.manifests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.List;

class StaticPodReferencesTest {

    @Test
    void everyKindOfReferenceIsNamedWithItsPlace() {
        assertEquals(
                List.of(
                        "imagePullSecrets",
                        "resourceClaims",
                        "serviceAccountName",
                        "configMapRef of container setup",
                        "secretKeyRef of container etcd",
                        "configMapKeyRef of container etcd",
                        "secret of volume a",
                        "configMap of volume b",
                        "persistentVolumeClaim of volume c",
                        "csi of volume d",
                        "secretRef of volume e",
                        "serviceAccountToken of volume f",
                        "clusterTrustBundle of volume f"),
                StaticPodReferences.of("""
                        spec:
                          serviceAccountName: mine
                          imagePullSecrets: [{name: p}]
                          resourceClaims: [{name: gpu}]
                          initContainers:
                          - {name: setup, envFrom: [{configMapRef: {name: x}}]}
                          containers:
                          - name: etcd
                            env:
                            - {name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}
                            - {name: B, valueFrom: {configMapKeyRef: {name: s, key: k}}}
                            - {name: C, valueFrom: {secretKeyRef: {name: s, key: l}}}
                          volumes:
                          - {name: a, secret: {secretName: s}}
                          - {name: b, configMap: {name: c}}
                          - {name: c, persistentVolumeClaim: {claimName: c}}
                          - {name: d, csi: {driver: d}}
                          - {name: e, iscsi: {secretRef: {name: s}}}
                          - name: f
                            projected:
                              sources:
                              - serviceAccountToken: {path: t}
                              - downwardAPI: {items: []}
                              - clusterTrustBundle: {path: t}
                        """));
    }

    @Test
    void whatTheNodeHasItselfIsNone() {
        assertEquals(List.of(), StaticPodReferences.of("""
                metadata: {labels: {secret: a, serviceAccountName: b}}
                spec:
                  nodeSelector: {secret: a}
                  serviceAccountName: ""
                  imagePullSecrets: []
                  containers:
                  - name: a
                    env: [{name: A, value: b}, {name: B, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}]
                  volumes:
                  - {name: a, hostPath: {path: /etc}}
                  - {name: b, emptyDir: {}}
                  - {name: c, projected: {sources: [{downwardAPI: {items: []}}]}}
                """));
        assertEquals(List.of(), StaticPodReferences.of("kind: Pod\n"));
    }
}
