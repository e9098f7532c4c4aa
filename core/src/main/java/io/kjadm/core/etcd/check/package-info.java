/**
 * Gathers what a join is judged by before it touches a stacked etcd. Read
 * {@link io.kjadm.core.etcd.check.JoinCheckup} first; what the facts mean is decided in {@code io.kjadm.etcd.check}.
 */
package io.kjadm.core.etcd.check;
