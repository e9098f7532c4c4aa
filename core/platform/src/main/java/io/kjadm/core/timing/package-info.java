/**
 * Where the time of a run goes: every phase, wait and call with its begin and end. Read
 * {@link io.kjadm.core.timing.Timings} first.
 */
package io.kjadm.core.timing;
