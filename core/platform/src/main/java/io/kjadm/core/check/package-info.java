/**
 * A check asks the machine or the cluster one thing before anything is changed; a finding is its
 * warning or error. Read {@link io.kjadm.core.check.Preflight} first.
 */
package io.kjadm.core.check;
