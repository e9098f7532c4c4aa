package io.kjadm.pki;

import java.math.BigInteger;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.sec.SECNamedCurves;
import org.bouncycastle.asn1.x9.X9ECParameters;

/** The arithmetic on named curves that the JDK keeps to itself. */
final class EllipticCurves {

    private EllipticCurves() {
    }

    static int orderBits(ASN1ObjectIdentifier curve) {
        return parameters(curve).getN().bitLength();
    }

    /** The public point of a private number, uncompressed. */
    static byte[] publicPoint(ASN1ObjectIdentifier curve, BigInteger privateNumber) {
        return parameters(curve).getG().multiply(privateNumber).normalize().getEncoded(false);
    }

    private static X9ECParameters parameters(ASN1ObjectIdentifier curve) {
        X9ECParameters parameters = SECNamedCurves.getByOID(curve);
        if (parameters == null) {
            throw new PkiException("the elliptic curve %s is not known".formatted(curve));
        }
        return parameters;
    }
}
