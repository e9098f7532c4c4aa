/**
 * Which mutants may survive. {@link io.kjadm.etcd.mutation.SurvivorCheck} compares PIT's report
 * with the reviewed list.
 */
package io.kjadm.etcd.mutation;
