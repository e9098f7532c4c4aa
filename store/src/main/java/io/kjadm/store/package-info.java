/**
 * Places where snapshots and the log of the automatic mode are kept, a folder or a bucket: {@link
 * io.kjadm.store.ObjectStore} first. It knows nothing of what it keeps.
 */
package io.kjadm.store;
