/**
 * Making a node an ordinary machine again. Read {@link io.kjadm.core.reset.ResetWorkflow} first;
 * {@link io.kjadm.core.reset.RemoveEtcdMemberPhase} is where care is needed.
 */
package io.kjadm.core.reset;
