/**
 * {@code init}: makes the first control-plane node. Read {@link io.kjadm.core.init.InitWorkflow}
 * first.
 */
package io.kjadm.core.init;
