package io.kjadm.e2e.picture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.picture.Recording.Output;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import javax.xml.parsers.DocumentBuilderFactory;

final class SvgPictureTest {

    private static final int COLUMNS = 40;
    private static final int ROWS = 5;
    private static final Pattern STEP = Pattern.compile("([0-9.]+)%\\{([a-z]+):([^}]+)}");

    /** A picture of outputs that come half a second after each other. */
    private static String picture(String... outputs) {
        var recording = new Recording(List.of(outputs).stream()
                .map(text -> new Output(Duration.ofMillis(500), text))
                .toList());
        return SvgPicture.of(Film.of(recording, COLUMNS, ROWS), COLUMNS, "a <join> & more");
    }

    private static Document parsed(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    }

    private static List<Element> elements(Document svg, String name) {
        NodeList nodes = svg.getElementsByTagName(name);
        var elements = new ArrayList<Element>();
        for (int i = 0; i < nodes.getLength(); i++) {
            elements.add((Element) nodes.item(i));
        }
        return elements;
    }

    /** The texts that a reader sees who sees no animation, but for the title. */
    private static List<String> still(String svg) throws Exception {
        return elements(parsed(svg), "text").stream()
                .skip(1)
                .filter(text -> !group(text).getAttribute("visibility").equals("hidden"))
                .map(Element::getTextContent)
                .toList();
    }

    /** The texts that are seen after this share of the film, as an animating reader sees them. */
    private static List<String> seen(String svg, double percent) throws Exception {
        return elements(parsed(svg), "text").stream()
                .skip(1)
                .filter(text -> value(svg, group(text), percent).equals("visible"))
                .map(Element::getTextContent)
                .toList();
    }

    private static Element group(Element text) {
        return (Element) text.getParentNode();
    }

    private static String value(String svg, Element animated, double percent) {
        if (!animated.hasAttribute("style")) {
            return "visible";
        }
        String name = animated.getAttribute("style").replace("animation-name:", "");
        String keyframes = svg.lines()
                .filter(line -> line.startsWith("@keyframes " + name + "{"))
                .findFirst()
                .orElseThrow();
        var step = STEP.matcher(keyframes);
        var value = "";
        while (step.find() && Double.parseDouble(step.group(1)) <= percent) {
            value = step.group(3);
        }
        return value;
    }

    private static Element texted(String svg, String text) throws Exception {
        return elements(parsed(svg), "text").stream()
                .filter(element -> element.getTextContent().equals(text))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void pictureNeedsNothingFromElsewhere() throws Exception {
        String svg = picture("\033[1;31mone\033[0m <&> two\r\n", "three");
        assertEquals("svg", parsed(svg).getDocumentElement().getTagName());
        assertEquals(List.of(), elements(parsed(svg), "script"));
        assertEquals(List.of(), elements(parsed(svg), "image"));
        assertFalse(svg.replace("xmlns=\"http://www.w3.org/2000/svg\"", "").contains("http"), svg);
        assertEquals(
                List.of("a <join> & more"),
                elements(parsed(svg), "title").stream()
                        .map(Element::getTextContent)
                        .toList());
    }

    @Test
    void rowsAppearOneAfterTheOther() throws Exception {
        // frames at 0, 0.5 and 1 s of 5 s
        String svg = picture("one\r\n", "two\r\n", "three\r\n");
        assertEquals(List.of("one"), seen(svg, 0));
        assertEquals(List.of("one", "two"), seen(svg, 10));
        assertEquals(List.of("one", "two", "three"), seen(svg, 20));
        assertEquals(List.of("one", "two", "three"), seen(svg, 100));
    }

    @Test
    void liveLineChangesInItsPlace() throws Exception {
        String svg = picture("waiting 1", "\r\033[Kwaiting 2", "\r\033[Kwaiting 1", "\r\033[Kdone");
        assertEquals(List.of("waiting 1"), seen(svg, 0));
        assertEquals(List.of("waiting 2"), seen(svg, 10));
        assertEquals(List.of("waiting 1"), seen(svg, 20));
        assertEquals(List.of("done"), seen(svg, 30));
        assertEquals(
                texted(svg, "waiting 1").getAttribute("y"), texted(svg, "done").getAttribute("y"));
        assertEquals(4, elements(parsed(svg), "text").size(), "a text that returns is drawn once");
    }

    @Test
    void withoutAnimationTheLastFrameIsShown() throws Exception {
        assertEquals(List.of("one", "done"), still(picture("one\r\nwaiting", "\r\033[Kdone")));
    }

    @Test
    void nothingMovesForWhoPrefersReducedMotion() {
        String svg = picture("one", "\r\033[Ktwo");
        int preference = svg.indexOf("@media (prefers-reduced-motion: no-preference) {");
        assertTrue(preference > 0, svg);
        assertTrue(svg.indexOf("animation: ") > preference, svg);
        assertEquals(svg.indexOf("animation: "), svg.lastIndexOf("animation: "), svg);
        assertTrue(svg.indexOf("}\n}\n") > svg.indexOf("animation: "), svg);
    }

    @Test
    void filmOfOneFrameIsStill() {
        assertFalse(picture("version 1").contains("@keyframes"));
    }

    @Test
    void sheetMovesUpWhenTheScreenScrolls() throws Exception {
        String svg = picture("1\r\n2\r\n3\r\n4\r\n5", "\r\n6", "\r\n7\r\n8");
        Element sheet = (Element) group(texted(svg, "8")).getParentNode();
        assertEquals("translateY(0px)", value(svg, sheet, 0));
        assertEquals("translateY(-20px)", value(svg, sheet, 10));
        assertEquals("translateY(-60px)", value(svg, sheet, 20));
        assertEquals("translate(0 -60)", sheet.getAttribute("transform"), "the last frame");
    }

    @Test
    void rowsThatNobodySawAreNotDrawn() throws Exception {
        String svg = picture("begin\r\n", "x\r\n".repeat(1000), "end");
        assertTrue(elements(parsed(svg), "text").size() < 12, svg);
    }

    @Test
    void columnsLineUpInEveryFont() throws Exception {
        String svg = picture("NAME      STATUS\r\nn1        \033[32mReady\033[0m");
        assertEquals("84", texted(svg, "STATUS").getAttribute("x"));
        assertEquals("84", texted(svg, "Ready").getAttribute("x"));
        assertEquals("50.4", texted(svg, "STATUS").getAttribute("textLength"));
    }

    @Test
    void coloursAndEffectsAreDrawn() throws Exception {
        String svg = picture("\033[1;31mred\033[0m \033[2;4;44m on blue \033[0m");
        assertEquals(Palette.indexed(1), texted(svg, "red").getAttribute("fill"));
        assertEquals("bold", texted(svg, "red").getAttribute("font-weight"));
        assertEquals("underline", texted(svg, "on blue").getAttribute("text-decoration"));
        assertEquals(".6", texted(svg, "on blue").getAttribute("fill-opacity"));
        var behind = elements(parsed(svg), "rect").getLast();
        assertEquals(Palette.indexed(4), behind.getAttribute("fill"));
        assertEquals("75.6", behind.getAttribute("width"), "nine cells, the spaces too");
    }

    @Test
    void sameRecordingGivesTheSameBytes() {
        String[] outputs = {"\033[1;4;31mone\r\n", "two\r\n", "\033[2J\033[Hthree"};
        assertEquals(picture(outputs), picture(outputs));
    }

    @Test
    void longJoinStaysSmall() {
        var outputs = new ArrayList<String>();
        for (int step = 0; step < 60; step++) {
            for (int wait = 0; wait < 4; wait++) {
                outputs.add("\r\033[K[etcd] waiting for step %d (%d s)".formatted(step, wait));
            }
            outputs.add("\r\033[K[etcd] step %d is done\r\n".formatted(step));
        }
        int bytes = picture(outputs.toArray(String[]::new)).length();
        assertTrue(bytes < 150_000, () -> "" + bytes);
    }
}
