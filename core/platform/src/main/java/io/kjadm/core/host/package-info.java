/**
 * The machine: its files, programs and services, behind ports. Read
 * {@link io.kjadm.core.host.HostFiles} first.
 */
package io.kjadm.core.host;
