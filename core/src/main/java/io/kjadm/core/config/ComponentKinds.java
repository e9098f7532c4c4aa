package io.kjadm.core.config;

import io.kjadm.core.error.UsageException;

import java.util.List;

/** The kinds of component configuration that go with a cluster. */
final class ComponentKinds {

    private static final List<String> ALL = List.of(Document.KUBE_PROXY, Document.KUBELET);

    private ComponentKinds() {}

    /** Refuses other kinds. */
    static void check(List<String> kinds) {
        for (String kind : kinds) {
            if (!ALL.contains(kind)) {
                throw new UsageException(
                        "unknown component configuration \"%s\"".formatted(kind),
                        "known ones are " + String.join(", ", ALL),
                        "");
            }
        }
    }
}
