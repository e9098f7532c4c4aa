/**
 * What stands between a node and its cluster in the suites about trust: a false server, a proxy,
 * and the authorities that certificates come from. Read {@link io.kjadm.e2e.trust.FalseServer}
 * first.
 */
package io.kjadm.e2e.trust;
