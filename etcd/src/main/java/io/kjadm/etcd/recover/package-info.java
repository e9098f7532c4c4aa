/**
 * What is wrong with an etcd whose members do not all serve, decided from what was seen of members
 * and disks: {@link io.kjadm.etcd.recover.RecoveryDecider} first. No input or output, no clock.
 */
package io.kjadm.etcd.recover;
