package io.kjadm.core.fuzz;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.SmallHeap;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.SplittableRandom;

/**
 * Input from elsewhere is read or refused, and neither takes more memory than there is nor ends the
 * program in another way. What fails names the number of its input.
 */
class InputFuzzTest {

    private static final String SECONDS = "kjadm.fuzz.seconds";
    private static final String FIRST = "kjadm.fuzz.first";

    @Test
    void mutatedInputIsReadOrRefusedInLittleMemory() throws Exception {
        long first = Long.getLong(FIRST, new SplittableRandom().nextLong(1L << 48));
        long seconds = Long.getLong(SECONDS, 15);

        List<String> lines =
                SmallHeap.run(InputFuzz.class, Long.toString(first), Long.toString(seconds));

        assertTrue(lines.size() > 2, lines.toString());
        lines.forEach(System.out::println);
    }
}
