/**
 * Checks of a machine that need neither a cluster nor its configuration, and what they look through.
 */
package io.kjadm.core.preflight.machine;
