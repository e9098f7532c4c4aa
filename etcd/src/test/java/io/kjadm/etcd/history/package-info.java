/**
 * Checked histories of etcd: clients record what they asked and were answered while the members of a
 * real cluster change, and the answers are held against what a linearizable store with etcd's
 * revisions can say. Read {@link io.kjadm.etcd.history.Operation} and
 * {@link io.kjadm.etcd.history.LinearizabilityChecker} first; {@code HistoryIT} records one.
 */
package io.kjadm.etcd.history;
