package io.kjadm.core.node;

import io.kjadm.pki.CertificateAuthority;

import java.util.Optional;

/** CAs that nobody makes any more; valid from 2026 to 2045. */
final class WeakAuthority {

    private static final String CA_512 = """
            -----BEGIN CERTIFICATE-----
            MIIBezCCASWgAwIBAgIIfmdJrPrwcFcwDQYJKoZIhvcNAQELBQAwFTETMBEGA1UE
            AwwKa3ViZXJuZXRlczAeFw0yNTEyMzEyMzU1MDBaFw00NTEyMjcwMDAwMDBaMBUx
            EzARBgNVBAMMCmt1YmVybmV0ZXMwXDANBgkqhkiG9w0BAQEFAANLADBIAkEAkM39
            1zc5W8jl9O6U/qK3Q+1D0SDO+SRZQ74y2vozpzoGpC8u/6NsCvt018uSlQrvR2Z8
            mV6v295sdBxmw1liVwIDAQABo1kwVzAOBgNVHQ8BAf8EBAMCAqQwDwYDVR0TAQH/
            BAUwAwEB/zAdBgNVHQ4EFgQU0fmRpFQ5V+4YlXMY+230+X/bkawwFQYDVR0RBA4w
            DIIKa3ViZXJuZXRlczANBgkqhkiG9w0BAQsFAANBAGczDCs9Meej7YhoasgK2Ay+
            4sS8vVCcKAAhQ35Si0/Ef9h5G5g5JFRrBAob1bWR9iFXbHl1QbLNyD+KWowRETg=
            -----END CERTIFICATE-----
            """;
    private static final String KEY_512 = """
            -----BEGIN RSA PRIVATE KEY-----
            MIIBOwIBAAJBAJDN/dc3OVvI5fTulP6it0PtQ9EgzvkkWUO+Mtr6M6c6BqQvLv+j
            bAr7dNfLkpUK70dmfJler9vebHQcZsNZYlcCAwEAAQJARKIF8vhfTOQrLkzYvNo1
            v9HY52nD/+1dC9E9/HFDgzowRtojueNQbvl8QRdHZ5R2zpCjA+l1BDN0AiBIC/p6
            BQIhAO6rkvPmRSKZhwc+ULVatXdNTfo5kNNDzUQuU+Qg4xLFAiEAm1GilZkktaBV
            NBkrJhd4MNlPzO0M6dprTw1Uv93PAmsCIQDJzuvwLboxmm2xc0CdSDj+yq/vr/NE
            oCUVzLKEyEYZHQIgMQqMsHmjaqnOXV3ZDvT4IUxscwMiQbCSk2pdKRvLIjMCIQCB
            5rN2R4UodmW2QcmN6FuGviwrakRC4KAzs4HqwaEWPA==
            -----END RSA PRIVATE KEY-----
            """;
    private static final String CA_1024 = """
            -----BEGIN CERTIFICATE-----
            MIICADCCAWmgAwIBAgIIDQPX1sO3n5wwDQYJKoZIhvcNAQELBQAwFTETMBEGA1UE
            AwwKa3ViZXJuZXRlczAeFw0yNTEyMzEyMzU1MDBaFw00NTEyMjcwMDAwMDBaMBUx
            EzARBgNVBAMMCmt1YmVybmV0ZXMwgZ8wDQYJKoZIhvcNAQEBBQADgY0AMIGJAoGB
            ANmZEQ/jew2fUYIjGJnUAS1KtGHWFxhcmZtcFKPZJ9YPVf0Kiztppr8fmMkEz6RF
            5a6GvbVOcqRlkvinTPQF/BKHTcjiLAyR/D6HHvh/vhMMU5udPgwe1kYotudhH4Wl
            VTMTxANpI+uwlyJUTsmyTKoXc76Z8Ebb7mv85B3Jb2cHAgMBAAGjWTBXMA4GA1Ud
            DwEB/wQEAwICpDAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBQY8+0vrakSKNbZ
            5IVDDBEShfW4ozAVBgNVHREEDjAMggprdWJlcm5ldGVzMA0GCSqGSIb3DQEBCwUA
            A4GBAJnxgCfQn+EIJ7hA1UVFt0cV8rAWoPQFj4y/V/152X2oXtFxjSZTJsuMOOER
            XBmEOaF/WAl50yFuYsRz4jkBLyYRhB6O0xV180QGkQDfV3/5Jg4qAF66rLHXgTS9
            8sVrDA8rsc1ekepG1bZ1ns0DlKMw6x8h9H0hUFFlP5WfwWqx
            -----END CERTIFICATE-----
            """;
    private static final String KEY_1024 = """
            -----BEGIN RSA PRIVATE KEY-----
            MIICXQIBAAKBgQDZmREP43sNn1GCIxiZ1AEtSrRh1hcYXJmbXBSj2SfWD1X9Cos7
            aaa/H5jJBM+kReWuhr21TnKkZZL4p0z0BfwSh03I4iwMkfw+hx74f74TDFObnT4M
            HtZGKLbnYR+FpVUzE8QDaSPrsJciVE7JskyqF3O+mfBG2+5r/OQdyW9nBwIDAQAB
            AoGAHP65WCQoUq2Jl206IHlbD3V2aYO1KnZgXjmGuI89sIJKTisYWCThEXOnkMBh
            iNLAOHbU6EgZR6W5+q8/C6nmfN9TNGf1S3bOc+FjRLrj+RMgI4qsnA7e0sc19GJc
            9CTT1HfJpZgL8k54250IDSveK8RzNZHdcdgtTOiO9G1d6AkCQQDnvwII8zZYvwQ/
            w6BDwqE0SJhn9RA7j7/NvVrMXqfcO1DL8kh+2bL5HDAU1CfNRbeILDqErKVYa7Ts
            dCX1ocPJAkEA8F7/Mj/nZ2XE7BTOJdk8Sv1CUXx6ZBFpfnzRQEh3SdPRb5JKs+o5
            qXzKZJ7pwcpopTUYkwOMPguXrV9cm0ocTwJAZtHLQFdQNH3Dj9rmv0maJk1TOUR0
            iEiWC91IbMZOaZrzlRkQ6x8Blh7YglVCt4OIE2W0LOtAjQN0iThbIyk7aQJBANhw
            cdJJgJC2Lq91vHqQNZ5AlerR71MT6q4erjz4A5HSzY9tZx7CFdHrsEMSZOI+5CN+
            v/YBB9MGlTlj2PtrrDkCQQCENFCcOSJP/XvUJ1ig83ryBQEz+/792bMkHxUOstej
            5CcEHPAjrlUVwI4puGw2WaBZTer9WvlI66PmLJ78oMre
            -----END RSA PRIVATE KEY-----
            """;

    private WeakAuthority() {}

    /** With an RSA key of 512 or 1024 bits. */
    static CertificateAuthority ofBits(int bits) {
        return bits == 512
                ? CertificateAuthority.load(CA_512, Optional.of(KEY_512))
                : CertificateAuthority.load(CA_1024, Optional.of(KEY_1024));
    }
}
