package io.kjadm.manifests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ManifestYamlTest {

    @Test
    void keysAreSortedAtEveryLevelAndListsAreNot() {
        assertEquals("a:\n  c: 1\n  d: true\nb:\n- z\n- a\n",
                ManifestYaml.write(Map.of("b", List.of("z", "a"), "a", Map.of("d", true, "c", 1))));
    }

    @Test
    void emptyTextEmptyObjectsAndNullsAreWritten() {
        var tree =
                new HashMap<String, Object>(
                        Map.of("name", "", "status", Map.of(), "list", List.of()));
        tree.put("users", null);
        assertEquals("list: []\nname: \"\"\nstatus: {}\nusers: null\n", ManifestYaml.write(tree));
    }

    @ParameterizedTest
    @ValueSource(strings =
            {"true", "Yes", "off", "n", "null", "~", "1", "-1", "0x1f", "0o17", "017", "1e3", "1.5",
            ".5", "1_000", "1:30", "2026-11-20", "2026-11-20T10:00:00Z", ".inf",
            "<<", "=", "", "+1", "1.", "0b1"})
    void textThatLooksLikeSomethingElseIsQuoted(String text) {
        String yaml = ManifestYaml.write(Map.of("key", text));
        assertTrue(yaml.startsWith("key: \""), yaml);
        assertEquals(Map.of("key", text), ManifestYaml.read(yaml));
    }

    @ParameterizedTest
    @ValueSource(strings =
            {"192.0.2.10", "--a=b", "/livez?exclude=x&y", "https://[::1]:2379", "*,bootstrapsigner",
            "{a}", "a: b", "# no", " lead", "trail ", "two\nlines\n", "two\nlines", "\n",
            "tab\there", "it's", "\"q\"",
            "&x", "!x", "%x", "@x", "`x", "ü", "\u0007", "- a", "a\n\n\n", "  indented\nless"})
    void anyTextIsReadAsItWasWritten(String text) {
        assertEquals(Map.of("key", List.of(text)),
                ManifestYaml.read(ManifestYaml.write(Map.of("key", List.of(text)))));
    }

    @Test
    void longLinesStayWhole() {
        String text = "word ".repeat(100).strip();
        assertEquals("key: " + text + "\n", ManifestYaml.write(Map.of("key", text)));
    }

    @Test
    void datesAndMinutesAreReadAsTextAndKeysAsWell() {
        assertEquals(Map.of("date", "2026-11-20", "minutes", "1:30", "yes", true, "1", 493),
                ManifestYaml.read("date: 2026-11-20\nminutes: 1:30\n'yes': yes\n1: 0755\n"));
    }

    @Test
    void jsonIsYaml() {
        assertEquals(Map.of("a", Arrays.asList(1, null, "x")),
                ManifestYaml.read("{\"a\": [1, null, \"x\"]}"));
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
        assertEquals(List.of("a: 1\n", "b: |\n  ---x\n  --- in a block\n", "c: 3\n"),
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
        var refusal = assertThrows(ManifestException.class,
                () -> ManifestYaml.read("spec:\n  containers: none\n", Pod.class));
        assertTrue(refusal.getMessage().startsWith("not a Pod"), refusal.getMessage());
    }
}
