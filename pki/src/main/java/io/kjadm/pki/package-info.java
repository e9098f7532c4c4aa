/**
 * Keys, certificate authorities, certificates and their PEM text. Nothing here reads a file or a
 * clock: text and instants come in, finished values go out. Everything is immutable and safe to use
 * from several threads, so that callers can generate keys in parallel.
 *
 * <p>Read {@link io.kjadm.pki.CertificateSet} first (what a control plane needs), then {@link
 * io.kjadm.pki.CertificateAuthority} (how it is made) and {@link io.kjadm.pki.CertificateInfo} (how
 * it is read).
 */
package io.kjadm.pki;
