/**
 * A stand-in for Cluster API. Read {@link io.kjadm.e2e.capi.Bootstrap}, what it does on a machine,
 * and {@link io.kjadm.e2e.capi.ControlPlaneProvider}, what it does to the cluster in between.
 */
package io.kjadm.e2e.capi;
