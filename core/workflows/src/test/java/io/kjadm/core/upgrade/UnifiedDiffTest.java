package io.kjadm.core.upgrade;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class UnifiedDiffTest {

    private static final String FROM = "/etc/kubernetes/manifests/x.yaml";
    private static final String OLD = "a\nb\nc\nd\ne\nf\ng\n";
    private static final String NEW = "a\nb\nc\nD\ne\nf\ng\nh\n";

    private static String diff(String before, String after, int lines) {
        return UnifiedDiff.of(FROM, before, "new manifest", after, lines);
    }

    @Test
    void equalTextsHaveNone() {
        assertEquals("", diff(OLD, OLD, 3));
        assertEquals("", diff("", "", 3));
    }

    @Test
    void headersNameBothTexts() {
        assertEquals("""
                --- /etc/kubernetes/manifests/x.yaml
                +++ new manifest
                @@ -1,7 +1,8 @@
                 a
                 b
                 c
                -d
                +D
                 e
                 f
                 g
                +h
                """, diff(OLD, NEW, 3));
    }

    @Test
    void distantChangesAreApart() {
        assertEquals("""
                --- /etc/kubernetes/manifests/x.yaml
                +++ new manifest
                @@ -3,3 +3,3 @@
                 c
                -d
                +D
                 e
                @@ -7,1 +7,2 @@
                 g
                +h
                """, diff(OLD, NEW, 1));
    }

    @Test
    void withoutContextOnlyChangesAreShown() {
        String text = diff(OLD, NEW, 0);
        assertEquals(
                "-d\n+D\n+h\n",
                text.lines()
                        .skip(2)
                        .filter(line -> !line.startsWith("@@"))
                        .map(line -> line + "\n")
                        .reduce("", String::concat));
        assertHasLine("@@ -4,1 +4,1 @@", text);
    }

    @Test
    void aNewAndARemovedTextAreOneHunk() {
        assertTrue(
                diff("", "a\nb\n", 3).endsWith("@@ -0,0 +1,2 @@\n+a\n+b\n"), diff("", "a\nb\n", 3));
        assertTrue(diff("a\n", "", 3).endsWith("@@ -1,1 +0,0 @@\n-a\n"), diff("a\n", "", 3));
    }

    @Test
    void coloursAreThoseOfItsLines() {
        String text = UnifiedDiff.coloured(diff("a\n-- x\n", "a\n++ y\n", 3));
        assertEquals(
                "\033[1m--- " + FROM + "\033[0m\n\033[1m+++ new manifest\033[0m\n"
                        + "\033[36m@@ -1,2 +1,2 @@\033[0m\n a\n"
                        + "\033[31m--- x\033[0m\n\033[32m+++ y\033[0m\n",
                text);
        assertEquals("", UnifiedDiff.coloured(""));
    }
}
