/**
 * What may stand in the way of an upgrade: {@link io.kjadm.core.upgrade.check.UpgradeCheckup}
 * gathers the facts and changes nothing, {@link io.kjadm.core.upgrade.check.UpgradeChecklist} turns
 * them into findings and asks nobody.
 */
package io.kjadm.core.upgrade.check;
