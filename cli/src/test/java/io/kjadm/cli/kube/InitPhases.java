package io.kjadm.cli.kube;

import java.util.List;

/** The phases of {@code kjadm init}, in kubeadm's order. */
final class InitPhases {

    /** Those that a dry run without checks plays; phases that have parts are named without them. */
    static final List<String> AFTER_PREFLIGHT = List.of(
            "certs",
            "kubeconfig",
            "etcd",
            "control-plane",
            "kubelet-start",
            "wait-control-plane",
            "upload-config",
            "upload-certs",
            "mark-control-plane",
            "bootstrap-token",
            "kubelet-finalize",
            "addon",
            "show-join-command");

    private InitPhases() {}
}
