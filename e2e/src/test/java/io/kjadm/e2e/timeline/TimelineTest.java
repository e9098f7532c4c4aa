package io.kjadm.e2e.timeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import javax.xml.parsers.DocumentBuilderFactory;

class TimelineTest {

    @TempDir
    Path folder;

    @BeforeEach
    void record() throws Exception {
        Files.writeString(folder.resolve("run"), "kjadm join\n100.0\n112.5\n");
        Files.writeString(folder.resolve("events"), """
                phases\t100.5\t101.5\tpreflight
                etcd\t1970-01-01T00:01:44Z\t\tserves <clients>
                etcd\t99\t\tbefore the run
                """);
    }

    private void timings() throws Exception {
        Files.writeString(folder.resolve("timings.json"), """
                {"began": "1970-01-01T00:01:40.250Z", "spans": [
                  {"kind": "phase", "name": "certs", "begin": 1.0, "end": 2.0},
                  {"kind": "wait", "name": "etcd to serve", "begin": 1.25, "end": 1.75},
                  {"kind": "call", "name": "too short to be seen", "begin": 1.3, "end": 1.301}]}
                """);
    }

    @Test
    void timesCountFromTheBeginOfTheRun() throws Exception {
        Timeline run = Timeline.read(folder);
        assertEquals(12.5, run.seconds());
        assertEquals(
                List.of(
                        new Span("phases", 0.5, 1.5, "preflight"),
                        new Span("etcd", 4, 4, "serves <clients>")),
                run.spans());
    }

    @Test
    void whatTheProgramToldCountsMoreThanItsOutput() throws Exception {
        timings();
        assertEquals(
                List.of(
                        new Span(Timeline.PHASES, 1.25, 2.25, "certs"),
                        new Span(Timeline.WAITS, 1.5, 2, "etcd to serve"),
                        new Span("etcd", 4, 4, "serves <clients>")),
                Timeline.read(folder).spans());
    }

    @Test
    void thePictureIsAnXmlDocumentThatShowsEachRun() throws Exception {
        timings();
        Timeline run = Timeline.read(folder);
        String svg = TimelinePicture.of(List.of(run, run));
        var root = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(svg)))
                .getDocumentElement();
        assertEquals("svg", root.getTagName());
        assertEquals(2, svg.split("kjadm join: 12.5 s", -1).length - 1);
        assertTrue(svg.contains("serves &lt;clients&gt;"), svg);
    }

    @Test
    void spansThatOverlapHaveRowsOfTheirOwn() {
        String apart = TimelinePicture.of(List.of(new Timeline(
                "a", 4, List.of(new Span("x", 0, 1, "one"), new Span("x", 1, 2, "two")))));
        String together = TimelinePicture.of(List.of(new Timeline(
                "a", 4, List.of(new Span("x", 0, 2, "one"), new Span("x", 1, 2, "two")))));
        assertFalse(apart.contains("y=\"52\""), apart);
        assertTrue(together.contains("y=\"52\""), together);
    }
}
