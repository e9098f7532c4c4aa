package io.kjadm.etcd.check;

/** CRC-32C that goes on from an earlier sum, which the JDK's cannot. */
final class Crc32c {

    private static final int POLYNOMIAL = 0x82f63b78;
    private static final int[] TABLE = table();

    private Crc32c() {}

    private static int[] table() {
        int[] table = new int[256];
        for (int i = 0; i < table.length; i++) {
            int sum = i;
            for (int bit = 0; bit < 8; bit++) {
                sum = (sum & 1) == 0 ? sum >>> 1 : sum >>> 1 ^ POLYNOMIAL;
            }
            table[i] = sum;
        }
        return table;
    }

    static int update(int sum, byte[] data) {
        int state = ~sum;
        for (byte next : data) {
            state = TABLE[(state ^ next) & 0xff] ^ state >>> 8;
        }
        return ~state;
    }
}
