package io.kjadm.etcd.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.SmallHeap;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a reader of etcd's log takes of memory and time, whatever a file is made of. */
class LogLimitsTest {

    private static final Pattern LINE = Pattern.compile("(.*), (\\d+) MiB: c1, .* in (\\d+) ms");

    /** A time that grew with the square of the size would grow by 16. */
    @Test
    void aLogOfAnyRecordsIsReadInLittleMemoryAndTimeInProportionToItsSize() throws Exception {
        // the first size is there to have everything compiled
        List<String> lines = SmallHeap.run(CraftedLogs.class, "2", "8", "32");

        Map<String, Long> times = new TreeMap<>();
        for (String line : lines) {
            Matcher found = LINE.matcher(line);
            assertTrue(found.matches(), line);
            String before = found.group(1) + " 8";
            long took = Long.parseLong(found.group(3));
            times.put(found.group(1) + " " + found.group(2), took);
            if (found.group(2).equals("32")) {
                assertTrue(took < 10 * Math.max(50, times.get(before)), lines.toString());
            }
        }
        assertEquals(12, times.size(), lines.toString());
    }
}
