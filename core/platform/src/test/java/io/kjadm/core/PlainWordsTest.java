package io.kjadm.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What an operator reads is in the words of kubectl, kubeadm and etcd: help, messages and pages
 * have none of the words that {@code docs/style.md} replaces.
 */
class PlainWordsTest {

    private static final Pattern WORDS = Pattern.compile(
            String.join(
                    "|",
                    "\\banew\\b",
                    "\\bwhoever\\b",
                    "\\bnobody\\b",
                    "\\bsomebody\\b",
                    "\\bbeneath\\b",
                    "\\bgo(?:es|ne|ing)? on with\\b",
                    "\\b(?:is|are|was|were|be) told\\b",
                    "\\betcd of (?:its|their|your) own\\b",
                    "\\bat hand\\b",
                    "\\bformer\\b",
                    "\\bmeanwhile\\b",
                    "\\bnowhere\\b",
                    "\\bnot to be had\\b",
                    "\\ball the same\\b",
                    "\\bas wanted\\b",
                    "\\bdid not end\\b",
                    "\\b(?:node|machine|member)'s turn\\b"),
            Pattern.CASE_INSENSITIVE);

    /** A comment, a character, a text block or a string; only the last two have a group. */
    private static final Pattern TOKEN = Pattern.compile(
            "//[^\\n]*"
                    + "|/\\*.*?\\*/"
                    + "|'(?:[^'\\\\\\n]|\\\\.)+'"
                    + "|\"\"\"(?<block>.*?)(?<!\\\\)\"\"\""
                    + "|\"(?<string>[^\"\\\\\\n]*(?:\\\\.[^\"\\\\\\n]*)*)\"(?<more>\\s*\\+\\s*(?=\"))?",
            Pattern.DOTALL);

    /** Names of files, among them earlier ones that kjadm has written. */
    private static final Pattern FILE = Pattern.compile("\\S+\\.former");

    /** Names of tests and classes in pages are not for operators. */
    private static final Pattern CODE = Pattern.compile("`[^`\\n]*`");

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(folder.resolve("docs"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    /** Texts of a Java file; those that are put together by {@code +} are one. */
    private static List<String> literals(String source) {
        List<String> literals = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        Matcher token = TOKEN.matcher(source);
        while (token.find()) {
            if (token.group("block") != null) {
                literals.add(token.group("block"));
            } else if (token.group("string") != null) {
                text.append(token.group("string"));
                if (token.group("more") == null) {
                    literals.add(text.toString());
                    text.setLength(0);
                }
            }
        }
        return literals;
    }

    private static List<String> texts(Path file) {
        try {
            String text = Files.readString(file);
            return file.toString().endsWith(".java") ? literals(text) : List.of(text);
        } catch (IOException e) {
            throw new IllegalStateException(file.toString(), e);
        }
    }

    private static List<String> found(String text) {
        return WORDS.matcher(FILE.matcher(text).replaceAll("file"))
                .results()
                .map(found -> found.group())
                .toList();
    }

    private static List<String> foundIn(List<Path> files) {
        return files.stream()
                .flatMap(file -> texts(file).stream()
                        .map(text -> file.toString().endsWith(".md")
                                ? CODE.matcher(text).replaceAll("code")
                                : text)
                        .flatMap(text -> found(text).stream())
                        .map(word -> "%s: %s".formatted(root().relativize(file), word)))
                .toList();
    }

    private static List<Path> files(String names) throws IOException {
        try (Stream<Path> all = Files.walk(root())) {
            return all.filter(file -> root().relativize(file).toString().matches(names))
                    .toList();
        }
    }

    @Test
    void noTextOfTheProgramHasThem() throws IOException {
        List<Path> read = files(".*src/main/java/.*\\.java|.*src/main/resources/.*\\.txt");
        assertTrue(read.size() > 900, "the sources were found: " + read.size());
        assertEquals(List.of(), foundIn(read));
    }

    @Test
    void noPageHasThem() throws IOException {
        List<Path> read = files("(README|e2e/README|docs/(?!style)[^/]+)\\.md");
        assertTrue(read.size() > 15, "the pages were found: " + read.size());
        assertEquals(List.of(), foundIn(read));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "throw new X(\"the run begins anew\");",
                "\"it is this \"\n        + \"node's turn\"",
                "\"\"\"\n    The former data.\n    \"\"\"",
                "char c = '\"'; // \"\n String s = \"Nobody answers\";"
            })
    void aWordIsFoundInEveryKindOfText(String source) {
        assertEquals(
                1,
                literals(source).stream().mapToLong(text -> found(text).size()).sum());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/** Nobody else. */ int a; // anew",
                "\"etcd.service.former\"",
                "\"an informer\"",
                "\"the answer is\", \"told\""
            })
    void otherTextsAreLeft(String source) {
        assertEquals(
                0,
                literals(source).stream().mapToLong(text -> found(text).size()).sum());
    }
}
