package io.kjadm.etcd.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

/** What findings must say. */
final class Told {

    private Told() {}

    /** Exactly one, of this check, with all these words. */
    static void one(List<String> findings, String check, String... words) {
        assertEquals(1, findings.size(), findings::toString);
        some(findings, check, words);
    }

    /** One of them is of this check and has all these words. */
    static void some(List<String> findings, String check, String... words) {
        assertTrue(
                findings.stream()
                        .filter(text -> text.startsWith(check + ": "))
                        .anyMatch(text -> List.of(words).stream().allMatch(text::contains)),
                findings::toString);
    }

    static void nothing(List<String> findings) {
        assertEquals(List.of(), findings);
    }
}
