/**
 * The keys that a cluster cannot be rebuilt without, kept encrypted beside a snapshot: {@link
 * io.kjadm.core.snapshot.pki.PkiFiles} gathers them, {@link
 * io.kjadm.core.snapshot.pki.PkiExtraction} puts them on a disk again.
 */
package io.kjadm.core.snapshot.pki;
