package io.kjadm.cli.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.UsageException;
import io.kjadm.manifests.ManifestYaml;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;

class JsonPathTest {

    private static final Map<String, Object> OBJECT = ManifestYaml.readObject("""
            kind: List
            count: 3
            none: null
            items:
            - {name: a, age: 1, tags: [x, y]}
            - {name: b, age: 22}
            - {name: c, age: 3, tags: []}
            labels: {app.example/name: web}
            """);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{.kind}|List",
                "kind={.kind}!|kind=List!",
                "{$.kind} {@.kind} {['kind']}|List List List",
                "{.count}|3",
                "{.none}|``",
                "{.missing}|``",
                "{.items[0].name}|a",
                "{.items[-1].name}|c",
                "{.items[*].name}|a b c",
                "{.items.*.age}|1 22 3",
                "{.items[0:2].name}|a b",
                "{.items[::2].name}|a c",
                "{.items[-2:].name}|b c",
                "{.items[0,2].name}|a c",
                "{.items[0]['name','age']}|a 1",
                "{.items[1]}|{\"age\":22,\"name\":\"b\"}",
                "{.items[0].tags}|[\"x\",\"y\"]",
                "{..name}|a b c",
                "{.labels.app\\.example/name}|web",
                "{.labels['app.example/name']}|web",
                "{.items[?(@.age>2)].name}|b c",
                "{.items[?(@.name==\"b\")].age}|22",
                "{.items[?(@.name != 'b')].age}|1 3",
                "{.items[?(@.age<=$.count)].name}|a c",
                "{.items[?(@.tags)].name}|a c",
                "{range .items[*]}<{.name}>{end}|<a><b><c>",
                "{range.items[*]}{.age},{end}|1,22,3,",
                "{range .items[*]}{range .tags[*]}{@}{\",\"}{end}{end}|x,y,",
                "{\"a}b\"}{'c'}|a}bc",
                "{\"\\t\"}.|``\t.``"
            })
    void pathsFind(String template, String expected) {
        assertEquals(
                expected == null ? "" : expected.replace("``", ""),
                JsonPath.parse(template, true).render(OBJECT));
    }

    @Test
    void anEmptyPathIsTheWholeObject() {
        assertEquals("{\"a\":1}", JsonPath.parse("{.}", true).render(Map.of("a", 1)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "{.a",
                "{.a[}",
                "{.a[0}",
                "{.a[x]}",
                "{a}",
                "{}",
                "{end}",
                "{range .items[*]}",
                "{.a[?(@.b==c)]}",
                "{.a[?(@.b==1 && @.c==2)]}",
                "{.a..}",
                "{\"a}",
                "{.a[::0]}",
                "{.items[99999999999]}"
            })
    void whatIsNotUnderstoodIsRefused(String template) {
        assertThrows(UsageException.class, () -> JsonPath.parse(template, true));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{.items[3]}", "{.kind[0]}"})
    void positionsMustExist(String template) {
        JsonPath path = JsonPath.parse(template, true);
        assertThrows(UsageException.class, () -> path.render(OBJECT));
    }

    @Test
    void missingNamesCanBeForbidden() {
        JsonPath path = JsonPath.parse("{.missing}", false);
        assertThrows(UsageException.class, () -> path.render(OBJECT));
        assertEquals(
                "a",
                JsonPath.parse("{.items[?(@.tags[0]=='x')].name}", false)
                        .render(Map.of("items", ((List<?>) OBJECT.get("items")).subList(0, 1))));
    }

    @Test
    void resultsCanBeJson() {
        assertEquals(
                "[\n    \"a\",\n    \"b\",\n    \"c\"\n]\n",
                JsonPath.parse("{.items[*].name}", true).renderJson(OBJECT, 4));
        assertEquals("[]\n", JsonPath.parse("{.missing}", true).renderJson(OBJECT, 4));
    }
}
