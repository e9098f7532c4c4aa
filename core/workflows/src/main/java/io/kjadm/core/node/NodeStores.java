package io.kjadm.core.node;

import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.pki.KeyPairPool;

import java.util.Map;

/**
 * Whoever writes the files that make a machine a node, each with its subject.
 *
 * @param pods     the static pods, from configuration; {@code manifests} writes them
 * @param patches  the operator's, applied to manifests and the kubelet's configuration
 */
public record NodeStores(
        CertificateStore certificates,
        KubeconfigStore kubeconfigs,
        ControlPlanePods pods,
        ManifestStore manifests,
        KubeletFileStore kubeletFiles,
        PatchDirectory patches) {

    /**
     * Stores that write on a machine.
     *
     * @param keys        for what has none yet
     * @param hostname    as the kernel has it
     * @param environment of this process, whose proxies the pods get
     */
    public static NodeStores on(
            Machine machine,
            KeyPairPool keys,
            String hostname,
            Map<String, String> environment,
            Reporter out) {
        CertificateStore certificates = new CertificateStore(machine.files(), keys, out);
        PatchDirectory patches = new PatchDirectory(machine.files(), out);
        ControlPlanePods pods = new ControlPlanePods(machine.files(), environment);
        return new NodeStores(
                certificates,
                new KubeconfigStore(machine.files(), certificates, keys, out),
                pods,
                new ManifestStore(
                        machine.files(),
                        pods,
                        new RootlessUsers(machine.files(), machine.waiter()),
                        patches,
                        out),
                new KubeletFileStore(machine.files(), patches, hostname, out),
                patches);
    }
}
