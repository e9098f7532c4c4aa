/**
 * {@code join}: makes this machine a node of a cluster. Read
 * {@link io.kjadm.core.join.JoinWorkflow} first.
 */
package io.kjadm.core.join;
