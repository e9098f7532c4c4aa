/**
 * Whether a node may begin to join a stacked etcd: facts in, findings out, without any input or
 * output. Read {@link io.kjadm.etcd.check.JoinChecklist} first; it has one class of rules per
 * subject.
 */
package io.kjadm.etcd.check;
