package io.kjadm.etcd.compare;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;

/** The arithmetic, the tables and the plot of the comparison, without any etcd. */
class ComparisonTest {

    private static final long MILLI = 1_000_000L;

    private static Gap gap(long from, long to, Long... acknowledged) {
        return Gap.longest(
                Stream.of(acknowledged).map(at -> at * MILLI).toList(), from * MILLI, to * MILLI);
    }

    private static Outcome outcome(
            Fault fault, int voters, Adder adder, Gap gap, int failed, boolean serving) {
        return new Outcome(
                fault,
                voters,
                adder,
                gap,
                500,
                failed,
                0,
                0,
                serving ? 0 : 1,
                serving,
                serving ? "joined" : "failed",
                Duration.ofMillis(1500));
    }

    private static List<Outcome> twoFaults() {
        var brief = new Gap(Duration.ofMillis(35), false);
        return List.of(
                outcome(Fault.NONE, 1, Adder.LEARNER, brief, 0, true),
                outcome(
                        Fault.NONE,
                        1,
                        Adder.VOTER,
                        new Gap(Duration.ofMillis(30_400), false),
                        2840,
                        true),
                outcome(Fault.NEVER_STARTS, 3, Adder.LEARNER, brief, 0, true),
                outcome(
                        Fault.NEVER_STARTS,
                        3,
                        Adder.VOTER,
                        new Gap(Duration.ofSeconds(45), true),
                        4000,
                        false));
    }

    @Test
    void longestGapIsFoundWhateverTheOrder() {
        assertEquals(new Gap(Duration.ofMillis(400), false), gap(0, 1000, 900L, 100L, 500L));
    }

    @Test
    void timeBeforeTheFirstAcknowledgedWriteCounts() {
        assertEquals(Duration.ofMillis(700), gap(0, 1000, 700L, 800L).length());
    }

    @Test
    void writesBeforeTheJoinDoNotCount() {
        assertEquals(new Gap(Duration.ofMillis(10), false), gap(100, 130, 1L, 50L, 110L, 120L));
    }

    @Test
    void gapAfterWhichNothingCameLastsToTheEnd() {
        assertEquals(new Gap(Duration.ofSeconds(5), true), gap(0, 5500, 200L, 500L));
        assertEquals(new Gap(Duration.ofSeconds(7), true), gap(0, 7000));
        assertFalse(gap(0, 1000, 200L).untilEnd(), "writes are still under way");
        assertFalse(gap(0, 9000, 7000L).untilEnd(), "a longer one came before");
    }

    @Test
    void timesAreToldInTheUnitThatFits() {
        assertEquals("35 ms", Gap.words(Duration.ofMillis(35)));
        assertEquals("1.0 s", Gap.words(Duration.ofNanos(999_800_000)));
        assertEquals("1.4 s", Gap.words(Duration.ofMillis(1440)));
        assertEquals("10 s", Gap.words(Duration.ofMillis(9960)));
        assertEquals("until the end (24 s)", new Gap(Duration.ofSeconds(24), true).toString());
    }

    @Test
    void tablesHaveALineForEachFaultAndACellForEachAdder() {
        String text = ComparisonText.faults(twoFaults(), "3.6.13", "two cores", 40);
        assertHasLine(
                "| nothing goes wrong | 1 | 35 ms; joined, 1.5 s"
                        + " | 30 s, 2840 writes failed; joined, 1.5 s |",
                text);
        assertHasLine(
                "| the new member never starts | 3 | 35 ms; joined, 1.5 s"
                        + " | until the end (45 s), 4000 writes failed; failed, 1.5 s;"
                        + " 1 voter; **etcd stopped** |",
                text);
        assertHasLine(
                "Of 2000 acknowledged writes none was lost, read back with linearizable reads; a cluster that had stopped",
                text);
        assertHasLine(
                "Every join ran with etcd 3.6.13 on the loopback interface of one machine with two cores: etcd's own",
                text);
        assertHasLine(
                "- kjadm gives up after 40 seconds without progress, half as long again in all, and 20 seconds of",
                text);
    }

    @Test
    void aFaultIsNamedInItsFirstLineOnly() {
        var brief = new Gap(Duration.ofMillis(35), false);
        String text = ComparisonText.faults(
                List.of(
                        outcome(Fault.NONE, 1, Adder.LEARNER, brief, 0, true),
                        outcome(Fault.NONE, 2, Adder.LEARNER, brief, 0, true)),
                "3.6.13",
                "two cores",
                40);
        assertHasLine("|  | 2 | 35 ms; joined, 1.5 s | – |", text);
    }

    @Test
    void anAdderThatWasNotTriedLeavesItsCellEmpty() {
        String text = ComparisonText.faults(twoFaults().subList(0, 1), "3.6.13", "two cores", 40);
        assertHasLine("| nothing goes wrong | 1 | 35 ms; joined, 1.5 s | – |", text);
    }

    @Test
    void eitherPartIsMadeAnewWithoutTheOther() {
        String faults = ComparisonText.faults(twoFaults(), "3.6.13", "two cores", 40);
        var phases = new Phases(
                Duration.ofMillis(12),
                Duration.ofMillis(1300),
                Duration.ofMillis(9400),
                Duration.ofMillis(80));
        String loads = ComparisonText.loads(
                List.of(new LoadedJoin(
                        "1 GiB of data",
                        1,
                        1100L << 20,
                        100,
                        99.7,
                        phases,
                        Duration.ofSeconds(11),
                        new Gap(Duration.ofMillis(60), false),
                        2000,
                        1,
                        0)),
                "3.6.13",
                "two cores");
        assertHasLine("until it has caught up                    9.4 s", loads);
        assertHasLine("failed writes                             1 of 2001", loads);

        String both = ComparisonText.withLoads(ComparisonText.withFaults("", faults), loads);
        assertEquals(loads, ComparisonText.withLoads("", loads));
        assertEquals(both, ComparisonText.withLoads(both, loads));
        assertEquals(both, ComparisonText.withFaults(both, faults));
        assertEquals(
                List.of(
                        "# Learners compared",
                        "## What the client saw, and what was left",
                        "## Much data, many writes"),
                both.lines().filter(line -> line.startsWith("#")).toList());
    }

    @Test
    void scaleIsLogarithmicAndEndsAtItsEnds() {
        double decade = BarPlot.position(100) - BarPlot.position(10);
        assertEquals(decade, BarPlot.position(1000) - BarPlot.position(100), 1e-6);
        assertEquals(BarPlot.position(1e5), BarPlot.position(1e9), 1e-6);
        assertEquals(BarPlot.position(1), BarPlot.position(0), 1e-6);
    }

    @Test
    void plotIsAnImageWithABarForEachOutcome() throws Exception {
        Document image = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(
                        BarPlot.of(twoFaults()).getBytes(StandardCharsets.UTF_8)));
        assertEquals("svg", image.getDocumentElement().getTagName());
        // and one of each in the legend
        assertEquals(3, bars(image, "learner"));
        assertEquals(3, bars(image, "voter"));
        assertEquals(
                List.of(
                        "nothing goes wrong, 1 → 2",
                        "35 ms",
                        "30 s",
                        "the new member never starts, 3 → 4",
                        "35 ms",
                        "until the end (45 s)"),
                words(image).subList(15, 21));
    }

    /** What is written in it, from top to bottom. */
    private static List<String> words(Document image) {
        var texts = image.getElementsByTagName("text");
        return IntStream.range(0, texts.getLength())
                .mapToObj(i -> texts.item(i).getTextContent())
                .toList();
    }

    private static long bars(Document image, String style) {
        var rectangles = image.getElementsByTagName("rect");
        long count = 0;
        for (int i = 0; i < rectangles.getLength(); i++) {
            if (rectangles.item(i) instanceof Element bar
                    && bar.getAttribute("class").equals(style)) {
                count++;
            }
        }
        return count;
    }
}
