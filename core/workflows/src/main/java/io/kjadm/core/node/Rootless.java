package io.kjadm.core.node;

import io.kjadm.manifests.RunAsIds;

import java.util.Optional;

/** Who the static pods of a node run as (gate {@code RootlessControlPlane}). */
public interface Rootless {

    /**
     * Makes sure that the component's user exists and owns the component's files, which have to be
     * there. Repeating it is harmless.
     *
     * @return who the component runs as; empty for root
     */
    Optional<RunAsIds> prepare(ControlPlaneNode node, String component);

    /**
     * Who the component would run as, without any change: accounts that are missing count with the
     * numbers that they would get.
     *
     * @return empty for root
     */
    Optional<RunAsIds> foresee(ControlPlaneNode node, String component);
}
