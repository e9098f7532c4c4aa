package io.kjadm.etcd.join;

/**
 * Why this node's etcd does not come up, as the node sees it.
 *
 * @param what    happened
 * @param why     the line of its log that says most, or what the container runtime reports
 * @param next    what the operator can do
 * @param passing whether a manifest with the present member list may mend it
 */
public record StartProblem(String what, String why, String next, boolean passing) {}
