package io.kjadm.manifests;

import java.util.List;

/** The etcd of the same node; its extra arguments may move the URL that the API server uses. */
public record StackedEtcd(List<Argument> extraArgs) implements ApiServerEtcd {

    public StackedEtcd {
        extraArgs = List.copyOf(extraArgs);
    }
}
