/**
 * Workflows as lists of named phases, and what every phase may use: telling the operator and
 * waiting. Read {@link io.kjadm.core.phase.Workflow} first.
 */
package io.kjadm.core.phase;
