/**
 * Making a node an ordinary machine again. {@link io.kjadm.core.reset.NodeCleanup} is what happens to
 * the machine itself.
 */
package io.kjadm.core.reset;
