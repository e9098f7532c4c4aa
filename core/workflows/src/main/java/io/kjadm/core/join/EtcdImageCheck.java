package io.kjadm.core.join;

import io.kjadm.core.check.Check;
import io.kjadm.core.check.Finding;
import io.kjadm.core.config.NodeRegistration;
import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.error.HostException;
import io.kjadm.core.value.ImagePullPolicy;

import java.util.List;

/**
 * etcd's image is on this machine at the moment it is needed. Preflight fetches images, but that
 * may have been skipped, or long ago, and a member that was added and cannot start blocks
 * everybody.
 */
final class EtcdImageCheck {

    private EtcdImageCheck() {}

    static Check of(String image, NodeRegistration node, RuntimeConnector runtimes) {
        return Check.of("EtcdImage", () -> findings(image, node, runtimes));
    }

    private static List<Finding> findings(
            String image, NodeRegistration node, RuntimeConnector runtimes) {
        ContainerRuntime runtime;
        try {
            runtime = runtimes.connect(node.criSocket());
            if (runtime.hasImage(image)) {
                return List.of();
            }
        } catch (HostException e) {
            return List.of(
                    Finding.warning("whether image %s is on this machine could not be checked: %s"
                            .formatted(image, e.getMessage())));
        }
        if (node.imagePullPolicy() == ImagePullPolicy.NEVER) {
            return List.of(Finding.error(
                    "image %s is not on this machine and imagePullPolicy is Never: load it"
                            .formatted(image)));
        }
        try {
            runtime.pull(image);
            return List.of();
        } catch (HostException e) {
            return List.of(Finding.error("image %s is not on this machine and cannot be fetched: %s"
                    .formatted(image, e.why())));
        }
    }
}
