/**
 * What is kept in the cluster itself: its configuration, the shared certificates, and what a node
 * needs to join. Knows no workflow: {@code init} is one of those who write it. Read {@link
 * io.kjadm.core.cluster.ClusterWriter} first.
 */
package io.kjadm.core.cluster;
