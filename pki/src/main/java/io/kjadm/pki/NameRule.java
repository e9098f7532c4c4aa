package io.kjadm.pki;

/** Where the subject alternative names of a certificate come from. */
public enum NameRule {
    /** It has none. */
    NONE,
    /** {@link SubjectNames#forApiServer}. */
    APISERVER,
    /** {@link SubjectNames#forEtcd} with the extra names of the etcd server certificate. */
    ETCD_SERVER,
    /** {@link SubjectNames#forEtcd} with the extra names of the etcd peer certificate. */
    ETCD_PEER,
    /** {@link SubjectNames#ofCa}; {@link CertificateAuthority#create} adds it by itself. */
    CA_NAME
}
