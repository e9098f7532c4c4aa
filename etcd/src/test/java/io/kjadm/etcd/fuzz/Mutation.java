package io.kjadm.etcd.fuzz;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Changes input in ways that readers trip over. */
final class Mutation {

    private static final int MOST_BYTES = 1 << 20;
    private static final long[] NUMBERS = {
        0,
        1,
        2,
        3,
        16,
        17,
        255,
        4096,
        65_535,
        65_536,
        Integer.MAX_VALUE,
        1L << 31,
        1L << 32,
        -1,
        -2,
        -16,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        1L << 52,
        1L << 62
    };
    private static final List<byte[]> WORDS = List.of(
            word("{"),
            word("}"),
            word("["),
            word("]"),
            word("{}"),
            word("[[[[[[[["),
            word("{\"a\":"),
            word("null"),
            word("-1"),
            word("1e999"),
            word("0.5"),
            word("\"\""),
            word("9223372036854775808"),
            word("99999999999999999999999999"),
            word("true"),
            word("\\u0000"),
            word("\""),
            word(","),
            word("../"),
            word("/"),
            word("-0000001"),
            word("77777777777"),
            word("\n"),
            word("\0"),
            word("\u001b[31m"),
            word("\u00e9"));

    private Mutation() {}

    private static byte[] word(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** One of the seeds, changed in one to some places. */
    static byte[] of(List<byte[]> seeds, SplittableRandom random) {
        byte[] input = seeds.get(random.nextInt(seeds.size())).clone();
        int changes = 1 + (random.nextInt(8) == 0 ? random.nextInt(32) : random.nextInt(3));
        for (int i = 0; i < changes; i++) {
            input = change(input, seeds, random);
        }
        return input;
    }

    private static byte[] change(byte[] input, List<byte[]> seeds, SplittableRandom random) {
        if (input.length < 16) {
            return seeds.get(random.nextInt(seeds.size())).clone();
        }
        int at = random.nextInt(input.length);
        switch (random.nextInt(12)) {
            case 0, 1 -> input[at] ^= (byte) (1 << random.nextInt(8));
            case 2 -> input[at] = (byte) random.nextInt();
            case 3, 4 -> putNumber(input, at, random);
            case 5 -> copyWithin(input, at, random);
            case 6 -> {
                return Arrays.copyOf(input, at);
            }
            case 7 -> {
                return replace(input, at, 0, WORDS.get(random.nextInt(WORDS.size())));
            }
            case 8 -> {
                int length = random.nextInt(Math.min(64, input.length - at) + 1);
                return replace(input, at, length, WORDS.get(random.nextInt(WORDS.size())));
            }
            case 9 -> {
                return repeat(input, at, random);
            }
            case 10 -> {
                byte[] other = seeds.get(random.nextInt(seeds.size()));
                int from = random.nextInt(other.length);
                int to = from + random.nextInt(Math.min(8192, other.length - from) + 1);
                return replace(input, at, 0, Arrays.copyOfRange(other, from, to));
            }
            default -> page(input, seeds, random);
        }
        return input;
    }

    private static void putNumber(byte[] input, int at, SplittableRandom random) {
        int aligned = Math.min(at & ~3, input.length - Long.BYTES);
        long number = NUMBERS[random.nextInt(NUMBERS.length)] + random.nextInt(3) - 1;
        ByteBuffer bytes = ByteBuffer.wrap(input)
                .order(random.nextInt(4) == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        switch (random.nextInt(3)) {
            case 0 -> bytes.putShort(aligned, (short) number);
            case 1 -> bytes.putInt(aligned, (int) number);
            default -> bytes.putLong(aligned, number);
        }
    }

    private static void copyWithin(byte[] input, int at, SplittableRandom random) {
        int length = random.nextInt(Math.min(512, input.length - at) + 1);
        System.arraycopy(input, at, input, random.nextInt(input.length - length + 1), length);
    }

    private static byte[] repeat(byte[] input, int at, SplittableRandom random) {
        int length = random.nextInt(Math.min(512, input.length - at) + 1);
        int times = 1 << random.nextInt(12);
        if (input.length + (long) length * times > MOST_BYTES) {
            return input;
        }
        byte[] repeated = new byte[length * times];
        for (int i = 0; i < times; i++) {
            System.arraycopy(input, at, repeated, i * length, length);
        }
        return replace(input, at, 0, repeated);
    }

    /** A page of a database takes another one's place, with the number of that place or not. */
    private static void page(byte[] input, List<byte[]> seeds, SplittableRandom random) {
        byte[] other = seeds.get(random.nextInt(seeds.size()));
        int size = 4096;
        if (input.length < 2 * size || other.length < 2 * size) {
            return;
        }
        int to = random.nextInt(input.length / size);
        int from = random.nextInt(other.length / size);
        System.arraycopy(other, from * size, input, to * size, size);
        if (random.nextBoolean()) {
            ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN).putLong(to * size, to);
        }
    }

    private static byte[] replace(byte[] input, int at, int length, byte[] by) {
        if (input.length + by.length > MOST_BYTES) {
            return input;
        }
        byte[] result = new byte[input.length - length + by.length];
        System.arraycopy(input, 0, result, 0, at);
        System.arraycopy(by, 0, result, at, by.length);
        System.arraycopy(input, at + length, result, at + by.length, input.length - at - length);
        return result;
    }
}
