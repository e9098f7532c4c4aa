/**
 * Whole-program suites: each starts nodes, runs the packaged program on them, and looks at the
 * cluster that comes out. Read {@link io.kjadm.e2e.InitIT} first, then
 * {@link io.kjadm.e2e.cluster.Cluster}.
 */
package io.kjadm.e2e;
