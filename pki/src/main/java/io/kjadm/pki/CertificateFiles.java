package io.kjadm.pki;

import java.time.Duration;

/**
 * File names below the certificates directory, and how long certificates last when nothing else is
 * configured.
 */
public final class CertificateFiles {

    public static final String CERTIFICATE_SUFFIX = ".crt";
    public static final String KEY_SUFFIX = ".key";

    public static final String SERVICE_ACCOUNT_PRIVATE_KEY = "sa.key";
    public static final String SERVICE_ACCOUNT_PUBLIC_KEY = "sa.pub";

    /** 8760 hours: certificates that a CA signs. */
    public static final Duration DEFAULT_CERTIFICATE_VALIDITY = Duration.ofDays(365);
    /** 87600 hours: the CAs themselves. */
    public static final Duration DEFAULT_CA_VALIDITY = Duration.ofDays(3650);
    /** How much earlier than now a certificate begins. */
    public static final Duration BACKDATE = Duration.ofMinutes(5);

    private CertificateFiles() {}
}
