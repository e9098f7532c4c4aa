/**
 * Questions to the machine before anything on it is changed. Read
 * {@link io.kjadm.core.check.Preflight} first, then the lists in
 * {@link io.kjadm.core.preflight.InitChecks} and {@link io.kjadm.core.preflight.JoinChecks}.
 */
package io.kjadm.core.preflight;
