/**
 * Certificates, keys and CAs as files, of a control plane and of a standalone etcd alike: {@link
 * io.kjadm.core.pki.CertificateMaker} checks what is there and makes what is missing, {@link
 * io.kjadm.core.pki.CertificateRenewal} makes new ones by the old ones.
 */
package io.kjadm.core.pki;
