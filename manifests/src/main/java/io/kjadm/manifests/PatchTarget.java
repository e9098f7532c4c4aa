package io.kjadm.manifests;

/**
 * What may be patched, and whether lists in it are merged by a key when the patch is a strategic
 * one.
 */
public enum PatchTarget {
    ETCD("etcd", StrategicMerge.WORKLOAD),
    KUBE_APISERVER("kube-apiserver", StrategicMerge.WORKLOAD),
    KUBE_CONTROLLER_MANAGER("kube-controller-manager", StrategicMerge.WORKLOAD),
    KUBE_SCHEDULER("kube-scheduler", StrategicMerge.WORKLOAD),
    KUBELET_CONFIGURATION("kubeletconfiguration", StrategicMerge.WITHOUT_KEYS),
    COREDNS_DEPLOYMENT("corednsdeployment", StrategicMerge.WORKLOAD),
    KUBE_PROXY_DAEMONSET("kubeproxydaemonset", StrategicMerge.WORKLOAD);

    private final String fileName;
    private final StrategicMerge strategicMerge;

    PatchTarget(String fileName, StrategicMerge strategicMerge) {
        this.fileName = fileName;
        this.strategicMerge = strategicMerge;
    }

    /** The beginning of the names of its patch files. */
    public String fileName() {
        return fileName;
    }

    StrategicMerge strategicMerge() {
        return strategicMerge;
    }
}
