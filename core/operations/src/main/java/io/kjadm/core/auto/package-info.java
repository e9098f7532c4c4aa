/**
 * The automatic mode on a machine: the log in the store, what a machine remembers of it, and the loop
 * that looks, decides and runs one command at a time. What is decided is in {@link
 * io.kjadm.etcd.auto}.
 */
package io.kjadm.core.auto;
