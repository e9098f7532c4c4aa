package io.kjadm.etcd.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.SmallHeap;
import io.kjadm.etcd.SnapshotBytes;

import org.junit.jupiter.api.Test;

import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a reader of snapshots takes of memory and time, whatever a file is made of. */
class SnapshotLimitsTest {

    private static final Pattern LINE = Pattern.compile("(.*), (\\d+) MiB: (.*) in (\\d+) ms");

    /**
     * Free pages are no part of the database, so each file is whole. The ratio of times shows that
     * they grow with the size and not with its square, which would be 16.
     */
    @Test
    void freePagesOfAnyContentTakeLittleMemoryAndTimeInProportionToTheirSize() throws Exception {
        // the first size is there to have everything compiled
        List<String> lines = SmallHeap.run(CraftedSnapshots.class, "2", "8", "32");

        Map<String, Long> times = new TreeMap<>();
        for (String line : lines) {
            Matcher found = LINE.matcher(line);
            assertTrue(found.matches(), line);
            assertEquals("whole at revision 121", found.group(3), line);
            times.put(found.group(1) + found.group(2), Long.parseLong(found.group(4)));
        }
        for (String crafted : CraftedSnapshots.all().keySet()) {
            long less = Math.max(50, times.get(crafted + 8));
            long more = times.get(crafted + 32);
            assertTrue(more < 10 * less, crafted + ": " + more + " ms after " + less);
        }
    }

    /** What was begun and is not complete yet used to be kept, and that grew with the file. */
    @Test
    void aFileThatIsLongerThanTheMemoryIsRead() throws Exception {
        String name = "pages that overflow into one another";
        assertLinesMatch(
                List.of(name + ", 400 MiB: whole at revision 121 in \\d+ ms"),
                SmallHeap.run(CraftedSnapshots.One.class, name, "400"));
    }

    @Test
    void aValueMayHoldPagesOfADatabase() throws Exception {
        byte[] value = new byte[40 * SnapshotBytes.PAGE];
        for (CraftedSnapshots.Pages crafted : CraftedSnapshots.all().values()) {
            // the value begins in page 3
            for (int page = 1; page < 39; page++) {
                byte[] pages = crafted.from(3 + page);
                System.arraycopy(
                        pages,
                        0,
                        value,
                        page * SnapshotBytes.PAGE - valueAt(value),
                        SnapshotBytes.PAGE);
            }
            SnapshotVerifier verifier = new SnapshotVerifier(OutputStream.nullOutputStream());
            verifier.write(SnapshotBytes.withValue(value));
            assertTrue(
                    verifier.verdict() instanceof SnapshotVerifier.Verdict.Whole,
                    verifier.verdict().toString());
        }
    }

    /** How far into the value the second page begins, counted from the end of the first. */
    private static int valueAt(byte[] value) {
        byte[] marked = new byte[value.length];
        marked[0] = 77;
        byte[] all = SnapshotBytes.withValue(marked);
        int at = 3 * SnapshotBytes.PAGE + 40;
        while (all[at] != 77) {
            at++;
        }
        return at - 3 * SnapshotBytes.PAGE;
    }
}
