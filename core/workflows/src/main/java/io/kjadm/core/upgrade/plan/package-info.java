/**
 * What {@code upgrade plan} and {@code upgrade diff} tell: {@link
 * io.kjadm.core.upgrade.plan.UpgradePlan} first. What stands in the way is found by
 * {@code core.upgrade.check}.
 */
package io.kjadm.core.upgrade.plan;
