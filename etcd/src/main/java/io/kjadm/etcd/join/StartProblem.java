package io.kjadm.etcd.join;

import io.kjadm.etcd.Problem;

/**
 * Why this node's etcd does not come up, as the node sees it.
 *
 * @param problem its reason is the line of its log that says most, or what the container runtime
 *                reports
 * @param passing whether a manifest with the present member list may mend it
 */
public record StartProblem(Problem problem, boolean passing) {}
