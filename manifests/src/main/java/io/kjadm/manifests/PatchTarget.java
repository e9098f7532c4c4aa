package io.kjadm.manifests;

/**
 * What may be patched, and whether lists in it are merged by a key when the patch is a strategic
 * one.
 */
public enum PatchTarget {
    ETCD("etcd", MergeKeys.WORKLOAD),
    KUBE_APISERVER("kube-apiserver", MergeKeys.WORKLOAD),
    KUBE_CONTROLLER_MANAGER("kube-controller-manager", MergeKeys.WORKLOAD),
    KUBE_SCHEDULER("kube-scheduler", MergeKeys.WORKLOAD),
    KUBELET_CONFIGURATION("kubeletconfiguration", MergeKeys.NONE),
    COREDNS_DEPLOYMENT("corednsdeployment", MergeKeys.WORKLOAD);

    private final String fileName;
    private final MergeKeys mergeKeys;

    PatchTarget(String fileName, MergeKeys mergeKeys) {
        this.fileName = fileName;
        this.mergeKeys = mergeKeys;
    }

    /** The beginning of the names of its patch files. */
    public String fileName() {
        return fileName;
    }

    MergeKeys mergeKeys() {
        return mergeKeys;
    }
}
