package io.kjadm.core.node;

import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.Owner;
import io.kjadm.pki.CertificateFiles;
import io.kjadm.pki.CertificateSet;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Which files of a node a static pod that is not root has to own. */
record RootlessFiles(HostFiles files, ControlPlaneNode node) {

    /** @param keyReaders the group that shares the service accounts' key */
    void give(RootlessUser user, Owner owner, int keyReaders) {
        ownFiles(user).forEach(file -> give(file, owner, FileMode.OWNER_ONLY));
        if (user.readsServiceAccountKey()) {
            give(
                    node.paths().certificate(CertificateFiles.SERVICE_ACCOUNT_PRIVATE_KEY),
                    new Owner(Owner.ROOT.uid(), keyReaders),
                    FileMode.GROUP_READABLE);
        }
        if (user == RootlessUser.ETCD && node.cluster().etcd() instanceof LocalEtcd etcd) {
            files.ownTree(etcd.dataDir(), owner);
        }
    }

    private void give(Path file, Owner owner, FileMode mode) {
        if (!files.exists(file)) {
            throw new HostException(
                    "the owner of %s cannot be changed to a static pod's user".formatted(file),
                    "it does not exist",
                    "generate certificates and kubeconfigs first, then run the command again");
        }
        files.own(file, owner, mode);
    }

    private List<Path> ownFiles(RootlessUser user) {
        return switch (user) {
            case API_SERVER -> ofApiServer();
            case CONTROLLER_MANAGER -> ofControllerManager();
            case SCHEDULER -> List.of(node.paths().kubeconfig(KubeconfigSpec.SCHEDULER.fileName()));
            case ETCD -> List.of(key(CertificateSet.ETCD_SERVER), key(CertificateSet.ETCD_PEER));
        };
    }

    private List<Path> ofApiServer() {
        List<Path> own = new ArrayList<>(List.of(
                node.paths().certificate(CertificateFiles.SERVICE_ACCOUNT_PUBLIC_KEY),
                key(CertificateSet.API_SERVER),
                key(CertificateSet.API_SERVER_KUBELET_CLIENT),
                key(CertificateSet.FRONT_PROXY_CLIENT)));
        if (node.cluster().etcd() instanceof LocalEtcd) {
            own.add(key(CertificateSet.API_SERVER_ETCD_CLIENT));
        }
        return own;
    }

    private List<Path> ofControllerManager() {
        Path kubeconfig = node.paths().kubeconfig(KubeconfigSpec.CONTROLLER_MANAGER.fileName());
        Path authority = key(CertificateSet.CA);
        // the key of an external CA is kept elsewhere
        return files.exists(authority) ? List.of(kubeconfig, authority) : List.of(kubeconfig);
    }

    private Path key(String certificate) {
        return node.pair(CertificateSet.named(certificate)).key();
    }
}
