package io.kjadm.pki;

import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.sec.SECObjectIdentifiers;
import org.bouncycastle.asn1.x9.X9ECParameters;
import org.bouncycastle.crypto.ec.CustomNamedCurves;
import org.bouncycastle.math.ec.FixedPointCombMultiplier;

import java.math.BigInteger;
import java.util.Set;

/** The curves that Kubernetes can use, and the arithmetic on them that the JDK keeps to itself. */
final class EllipticCurves {

    /** The JDK would read more, but the other components could not use such a key. */
    private static final Set<ASN1ObjectIdentifier> KNOWN = Set.of(
            SECObjectIdentifiers.secp256r1,
            SECObjectIdentifiers.secp384r1,
            SECObjectIdentifiers.secp521r1);

    private EllipticCurves() {}

    static void requireKnown(ASN1ObjectIdentifier curve) {
        if (!KNOWN.contains(curve)) {
            throw new PkiException("the elliptic curve %s is not supported".formatted(curve));
        }
    }

    static int orderBits(ASN1ObjectIdentifier curve) {
        return parameters(curve).getN().bitLength();
    }

    /** The public point of a private number, uncompressed. */
    static byte[] publicPoint(ASN1ObjectIdentifier curve, BigInteger privateNumber) {
        return new FixedPointCombMultiplier()
                .multiply(parameters(curve).getG(), privateNumber)
                .normalize()
                .getEncoded(false);
    }

    /** With arithmetic made for the curve: the general one takes five times as long. */
    private static X9ECParameters parameters(ASN1ObjectIdentifier curve) {
        requireKnown(curve);
        return CustomNamedCurves.getByOID(curve);
    }
}
