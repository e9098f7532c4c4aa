package io.kjadm.etcd.snapshot;

/**
 * CRC-32C of bytes of which the parts were summed apart (the method of zlib's
 * {@code crc32_combine}): the sum of the first part is moved over as many zero bytes as the second
 * has.
 */
record Crc32cSum(int sum, long length) {

    static final Crc32cSum OF_NOTHING = new Crc32cSum(0, 0);

    private static final int POLYNOMIAL = 0x82f63b78;
    private static final int ONE = 1 << 31;
    private static final int[] SHIFTS = shifts();

    /** Of these bytes with others behind them. */
    Crc32cSum then(Crc32cSum next) {
        return new Crc32cSum(times(shift(next.length), sum) ^ next.sum, length + next.length);
    }

    /** Of the bytes behind those others, with which these begin. */
    Crc32cSum without(Crc32cSum begin) {
        long rest = length - begin.length;
        return new Crc32cSum(times(shift(rest), begin.sum) ^ sum, rest);
    }

    /** What one byte, two, four and so on are multiplied with. */
    private static int[] shifts() {
        int[] shifts = new int[Long.SIZE];
        int power = ONE >>> 1;
        for (int bit = 0; bit < 3; bit++) {
            power = times(power, power);
        }
        for (int bit = 0; bit < shifts.length; bit++) {
            shifts[bit] = power;
            power = times(power, power);
        }
        return shifts;
    }

    private static int shift(long bytes) {
        int product = ONE;
        for (int bit = 0; bytes >>> bit != 0; bit++) {
            if ((bytes >>> bit & 1) != 0) {
                product = times(SHIFTS[bit], product);
            }
        }
        return product;
    }

    /** Product of two polynomials modulo {@link #POLYNOMIAL}, the highest bit first. */
    private static int times(int a, int b) {
        int product = 0;
        for (int bit = ONE; bit != 0; bit >>>= 1) {
            if ((a & bit) != 0) {
                product ^= b;
            }
            b = (b & 1) != 0 ? b >>> 1 ^ POLYNOMIAL : b >>> 1;
        }
        return product;
    }
}
