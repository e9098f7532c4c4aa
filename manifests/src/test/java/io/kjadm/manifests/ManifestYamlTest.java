package io.kjadm.manifests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Pod;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

final class ManifestYamlTest {

    @Test
    void keysAreSortedAtEveryLevelAndListsAreNot() {
        assertEquals(
                "a:\n  c: 1\n  d: true\nb:\n- z\n- a\n",
                ManifestYaml.write(Map.of("b", List.of("z", "a"), "a", Map.of("d", true, "c", 1))));
    }

    @Test
    void emptyTextEmptyObjectsAndNullsAreWritten() {
        var tree = new HashMap<String, Object>(
                Map.of("name", "", "status", Map.of(), "list", List.of()));
        tree.put("users", null);
        assertEquals("list: []\nname: \"\"\nstatus: {}\nusers: null\n", ManifestYaml.write(tree));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "true",
                "Yes",
                "off",
                "n",
                "null",
                "~",
                "1",
                "-1",
                "0x1f",
                "0o17",
                "017",
                "1e3",
                "1.5",
                ".5",
                "1_000",
                "1:30",
                "2026-11-20",
                "2026-11-20T10:00:00Z",
                ".inf",
                "<<",
                "=",
                "",
                "+1",
                "1.",
                "0b1"
            })
    void textThatLooksLikeSomethingElseIsQuoted(String text) {
        String yaml = ManifestYaml.write(Map.of("key", text));
        assertTrue(yaml.startsWith("key: \""), yaml);
        assertEquals(Map.of("key", text), ManifestYaml.read(yaml));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "192.0.2.10",
                "192.0.2.10:6443",
                "--a=b",
                "/livez?exclude=x&y",
                "https://[::1]:2379",
                "*,bootstrapsigner",
                "{a}",
                "a: b",
                "# no",
                " lead",
                "trail ",
                "two\nlines\n",
                "two\nlines",
                "\n",
                "tab\there",
                "it's",
                "\"q\"",
                "&x",
                "!x",
                "%x",
                "@x",
                "`x",
                "ü",
                "\u0007",
                "- a",
                "a\n\n\n",
                "  indented\nless"
            })
    void anyTextIsReadAsItWasWritten(String text) {
        assertEquals(
                Map.of("key", List.of(text)),
                ManifestYaml.read(ManifestYaml.write(Map.of("key", List.of(text)))));
    }

    @Test
    void longLinesStayWhole() {
        String text = "word ".repeat(100).strip();
        assertEquals("key: " + text + "\n", ManifestYaml.write(Map.of("key", text)));
    }

    @Test
    void datesAndMinutesAreReadAsTextAndKeysAsWell() {
        assertEquals(
                Map.of("date", "2026-11-20", "minutes", "1:30", "yes", true, "1", 493),
                ManifestYaml.read("date: 2026-11-20\nminutes: 1:30\n'yes': yes\n1: 0755\n"));
    }

    @Test
    void jsonIsYaml() {
        assertEquals(
                Map.of("a", Arrays.asList(1, null, "x")),
                ManifestYaml.read("{\"a\": [1, null, \"x\"]}"));
    }

    @Test
    void anchorsMayBeUsedAgain() {
        assertEquals(
                Map.of("a", List.of("x"), "b", List.of("x"), "c", List.of(Map.of("d", "x"))),
                ManifestYaml.read("a: &a [&x x]\nb: *a\nc:\n- <<: {d: *x}\n"));
        String many = "a: &a {b: c}\nd: [" + "*a, ".repeat(1000) + "*a]\n";
        assertEquals(1001, ((List<?>) ManifestYaml.readObject(many).get("d")).size());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a%d: &a%d [*a%d, *a%d, *a%d]\n",
                "? [*a%3$d]\n: &a%2$d {a: *a%3$d," + " b: *a%3$d, c: *a%3$d}\n"
            })
    void aliasesThatStandForTooMuchAreRefused(String form) {
        StringBuilder bomb = new StringBuilder("a0: &a0 [x]\n");
        for (int i = 1; i < 17; i++) {
            bomb.append(form.formatted(i, i, i - 1, i - 1, i - 1));
        }
        ManifestException refused =
                assertThrows(ManifestException.class, () -> ManifestYaml.read(bomb.toString()));
        assertEquals(
                "not valid YAML: excessive aliasing:"
                        + " the aliases stand for more than 10000 values",
                refused.getMessage());
    }

    @Test
    void anAliasWithinItsOwnAnchorIsRefused() {
        ManifestException refused =
                assertThrows(ManifestException.class, () -> ManifestYaml.read("a: &a [*a]\n"));
        assertEquals(
                "not valid YAML: an alias refers to the node it is part of, or the document is nested too deep",
                refused.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "token: s3cr3t: oops",
                "token: *s3cr3t",
                "token: !s3cr3t x",
                "token: !s3cr3t!a x",
                "s3cr3t: 1\ns3cr3t: 2",
                "token: \"s3cr3t\\q\"",
                "token: [s3cr3t",
                "token: s3cr3t\n\tx: y",
                "token: &a s3cr3t\n- b"
            })
    void noMessageRepeatsTheText(String yaml) {
        ManifestException refused = assertThrows(
                ManifestException.class, () -> ManifestYaml.read("kind: Config\n" + yaml + "\n"));
        assertTrue(
                refused.getMessage().matches("(?s).* in line [2-4], column \\d+"),
                refused.getMessage());
        assertFalse(refused.getMessage().contains("s3cr3t"), refused.getMessage());
    }

    @Test
    void anEmptyDocumentIsNothing() {
        assertNull(ManifestYaml.read("# only a comment\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a: 1\na: 2\n", "a: [", "a: 1\n---\nb: 2\n", "a: !!java.io.File [x]\n"})
    void whatIsNotOnePlainDocumentIsRefused(String yaml) {
        assertThrows(ManifestException.class, () -> ManifestYaml.read(yaml));
    }

    @ParameterizedTest
    @ValueSource(strings = {"- a\n", "text\n", ""})
    void anObjectHasToBeOne(String yaml) {
        assertThrows(ManifestException.class, () -> ManifestYaml.readObject(yaml));
    }

    @Test
    void documentsAreSplitAtSeparatorsOnly() {
        assertEquals(
                List.of("a: 1\n", "b: |\n  ---x\n  --- in a block\n", "c: 3\n"),
                ManifestYaml.splitDocuments(
                        "---\na: 1\n--- # next\nb: |\n  ---x\n  --- in a block\n---\n# nothing\n---\nc: 3\n---\n"));
    }

    @Test
    void aTypedObjectSurvivesTheWay() {
        String yaml =
                "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  priority: 7\nstatus: {}\n";
        assertEquals(yaml, ManifestYaml.write(ManifestYaml.read(yaml, Pod.class)));
    }

    @Test
    void aFieldOfTheWrongKindIsRefused() {
        var refusal = assertThrows(
                ManifestException.class,
                () -> ManifestYaml.read("spec:\n  containers: none\n", Pod.class));
        assertTrue(refusal.getMessage().startsWith("not a Pod"), refusal.getMessage());
    }
}
