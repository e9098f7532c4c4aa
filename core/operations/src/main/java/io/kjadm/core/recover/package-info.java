/**
 * What is wrong with etcd, and the way back: {@link io.kjadm.core.recover.EvidenceCollector} looks,
 * {@link io.kjadm.etcd.recover.RecoveryDecider} decides, {@link io.kjadm.core.recover.RecoveryPlans}
 * tells what can be done, {@link io.kjadm.core.recover.SurvivorRestore} does it.
 */
package io.kjadm.core.recover;
