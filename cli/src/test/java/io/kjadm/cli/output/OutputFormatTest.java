package io.kjadm.cli.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.UsageException;
import io.kjadm.manifests.ManifestYaml;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

class OutputFormatTest {

    private static final OutputFormat FORMATS = new OutputFormat(true, Map.of());
    private static final List<Map<String, Object>> TWO = List.of(
            OutputFormat.object("A", Map.of("text", "say \"on\"\n")),
            OutputFormat.object("B", Map.of("list", List.of(1, true))));

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"", "text"})
    void plainTextHasNoWriter(String format) {
        assertEquals(Optional.empty(), FORMATS.writer(format));
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "yaml", "kyaml"})
    void formatsOfObjectsMayBeInCapitals(String format) {
        assertEquals(write(format), write(format.toUpperCase(Locale.ROOT)));
    }

    @Test
    void jsonObjectsFollowEachOther() {
        assertEquals("""
                {
                    "kind": "A",
                    "apiVersion": "output.kubeadm.k8s.io/v1alpha3",
                    "text": "say \\"on\\"\\n"
                }
                {
                    "kind": "B",
                    "apiVersion": "output.kubeadm.k8s.io/v1alpha3",
                    "list": [
                        1,
                        true
                    ]
                }
                """, write("json"));
    }

    @Test
    void jsonEscapesMarkupAndOtherFormatsDoNot() {
        List<Map<String, Object>> markup = List.of(Map.of("a", "<b> & \u0001"));
        assertEquals(
                "{\n    \"a\": \"\\u003cb\\u003e \\u0026 \\u0001\"\n}\n",
                FORMATS.writer("json").orElseThrow().write(markup));
        assertEquals(
                "---\n{\n  a: \"<b> & \\u0001\",\n}\n",
                FORMATS.writer("kyaml").orElseThrow().write(markup));
    }

    @Test
    void timesAreTextInYaml() {
        String text = FORMATS.writer("yaml")
                .orElseThrow()
                .write(List.of(Map.of("expires", "2030-01-02T03:04:05Z")));
        assertEquals("expires: \"2030-01-02T03:04:05Z\"\n", text);
    }

    @Test
    void yamlDocumentsAreSeparated() {
        List<String> documents = ManifestYaml.splitDocuments(write("yaml"));
        assertEquals(TWO, documents.stream().map(ManifestYaml::readObject).toList());
        assertTrue(write("yaml").startsWith("apiVersion"));
    }

    @Test
    void kyamlDocumentsAllHaveASeparator() {
        assertEquals("""
                ---
                {
                  kind: "A",
                  apiVersion: "output.kubeadm.k8s.io/v1alpha3",
                  text: "say \\"on\\"\\n",
                }
                ---
                {
                  kind: "B",
                  apiVersion: "output.kubeadm.k8s.io/v1alpha3",
                  list: [
                    1,
                    true,
                  ],
                }
                """, write("kyaml"));
    }

    @Test
    void kyamlQuotesKeysThatReadAsSomethingElse() {
        Map<String, Object> tree = new LinkedHashMap<>();
        for (String key :
                List.of("plain", "no", "1", "a b", "", "null", "2026-01-02", "app.example/name")) {
            tree.put(key, Map.of());
        }
        tree.put("maps", List.of(Map.of("a", 1), Map.of("b", List.of())));
        String text = KyamlText.write(tree);
        assertEquals("""
                ---
                {
                  plain: {},
                  "no": {},
                  "1": {},
                  "a b": {},
                  "": {},
                  "null": {},
                  "2026-01-02": {},
                  app.example/name: {},
                  maps: [{
                    a: 1,
                  }, {
                    b: [],
                  }],
                }
                """, text);
        assertEquals(tree, ManifestYaml.readObject(text));
    }

    @Test
    void kyamlCanBeSwitchedOff() {
        OutputFormat formats = new OutputFormat(true, Map.of("KUBECTL_KYAML", "false"));
        assertThrows(UsageException.class, () -> formats.writer("kyaml"));
    }

    @Test
    void templatesAreFilledInForEachObject() {
        assertEquals("AB", write("jsonpath={.kind}"));
        assertEquals("A;B;", write("go-template={{.kind}};"));
        assertEquals("AB", write("template={{.kind}}"));
        assertEquals("[\n    \"A\"\n]\n[\n    \"B\"\n]\n", write("jsonpath-as-json={.kind}"));
    }

    @Test
    void templatesMayBeInFiles() throws IOException {
        Path go = Files.writeString(folder.resolve("go"), "{{.kind}}\n");
        Path path = Files.writeString(folder.resolve("path"), "{.kind} ");
        assertEquals("A\nB\n", write("go-template-file=" + go));
        assertEquals("A\nB\n", write("templatefile=" + go));
        assertEquals("A B ", write("jsonpath-file=" + path));
        assertThrows(
                UsageException.class,
                () -> FORMATS.writer("jsonpath-file=" + folder.resolve("missing")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "wide",
                "json=",
                "text=x",
                "jsonpath",
                "go-template=",
                "template",
                "jsonpath-file",
                "custom-columns=A"
            })
    void otherFormatsAreRefusedWithAnAdvice(String format) {
        UsageException refusal = assertThrows(UsageException.class, () -> FORMATS.writer(format));
        assertTrue(!refusal.next().isBlank(), refusal.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "yaml", "kyaml", "jsonpath={.kind}", "go-template=x"})
    void noObjectsGiveNoText(String format) {
        assertEquals("", FORMATS.writer(format).orElseThrow().write(List.of()));
    }

    private static String write(String format) {
        return FORMATS.writer(format).orElseThrow().write(TWO);
    }
}
