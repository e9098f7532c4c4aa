package io.kjadm.cli.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.UsageException;
import io.kjadm.manifests.ManifestYaml;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Map;

class GoTemplateTest {

    private static final Map<String, Object> OBJECT = ManifestYaml.readObject("""
            kind: List
            count: 2
            empty: []
            flag: true
            names: [a, b]
            labels: {b: two, a: one}
            """);

    @ParameterizedTest
    @CsvSource(
            delimiter = '¦',
            quoteCharacter = '~',
            value = {
                "plain text¦plain text",
                "{{.kind}}¦List",
                "{{ .kind }} and {{$.kind}}¦List and List",
                "{{.names}} {{.labels}}¦[a b] map[a:one b:two]",
                "{{.missing}}¦<no value>",
                "{{.labels.a}} {{.labels.missing}}¦one <no value>",
                "{{range .names}}<{{.}}>{{end}}¦<a><b>",
                "{{range $i, $name := .names}}{{$i}}{{$name}} {{end}}.¦0a 1b .",
                "{{range $name := .names}}{{$name}}{{$.count}}{{end}}¦a2b2",
                "{{range $k, $v := .labels}}{{$k}}={{$v}};{{end}}¦a=one;b=two;",
                "{{range .empty}}x{{else}}none{{end}}¦none",
                "{{range .missing}}x{{end}}.¦.",
                "{{if .flag}}y{{end}}{{if .empty}}n{{end}}{{if not .count}}n{{end}}¦y",
                "{{if .empty}}1{{else if .missing}}2{{else}}3{{end}}¦3",
                "{{with .labels}}{{.a}}{{else}}none{{end}}¦one",
                "{{with $n := .count}}{{$n}}{{.}}{{end}}¦22",
                "{{$x := 1}}{{if .flag}}{{$x = 2}}{{end}}{{$x}}¦2",
                "{{/* nothing }} */}}a{{- /* c */ -}} b¦ab",
                "a {{- .count -}} b¦a2b",
                "{{\"q\\\"}}\"}}{{`raw\\`}}¦q\"}}raw\\",
                "{{len .names}}{{len .kind}}{{len .labels}}¦242",
                "{{index .names 1}}{{index .labels \"a\"}}¦bone",
                "{{eq .kind \"List\"}} {{ne .count 2}} {{eq .count 1 2}} {{lt 1 .count}} {{ge .count 3}}¦true false true true false",
                "{{and .flag .count}} {{or .empty .kind}} {{and .empty .flag}}¦2 List []",
                "{{.names | len}} {{.names | len | eq 2}} {{(index .names 0)}}¦2 true a",
                "{{print 1 2 \"x\" 3}} {{println \"a\" 1}}¦~1 2x3 a 1\n~",
                "{{printf \"%s-%v-%d-%q-%%\" .kind .flag .count .kind}}¦List-true-2-\"List\"-%",
                "{{printf \"%-6s|%4d\" .kind .count}}¦~List  |   2~",
                "{{(index .names 0) | printf \"%3s\"}}¦~  a~",
                "{{if and (eq .kind \"List\") (gt (len .names) 1)}}both{{end}}¦both",
                "{{nil | not}} {{true}} {{-1.5}}¦true true -1.5"
            })
    void templatesAreFilledIn(String template, String expected) {
        assertEquals(expected, GoTemplate.parse(template, true).render(OBJECT));
    }

    @Test
    void aFieldMayFollowParentheses() {
        Object nested = ManifestYaml.readObject("items: [{name: a}]");
        assertEquals("a", GoTemplate.parse("{{(index .items 0).name}}", true).render(nested));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{{",
                "{{}}",
                "{{end}}",
                "{{else}}",
                "{{if .a}}",
                "{{range .a}}x",
                "{{if .a}}{{else}}{{else}}{{end}}",
                "{{nosuch .a}}",
                "{{define \"x\"}}{{end}}",
                "{{template \"x\"}}",
                "{{range .a}}{{break}}{{end}}",
                "{{.a .b}}",
                "{{(.a}}",
                "{{.a |}}",
                "{{\"a}}",
                "{{.a # .b}}",
                "{{$x :=}}",
                "{{range 1, $x := .a}}{{end}}",
                "{{html .a}}",
                "{{/* a"
            })
    void whatIsNotUnderstoodIsRefused(String template) {
        assertThrows(UsageException.class, () -> GoTemplate.parse(template, true));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{{.kind.name}}",
                "{{$x}}",
                "{{index .names 2}}",
                "{{len .count}}",
                "{{lt .kind 1}}",
                "{{range .kind}}{{end}}",
                "{{printf \"%s\"}}",
                "{{printf \"%x\" 1}}",
                "{{printf \"a\" 1}}",
                "{{eq 1}}",
                "{{.names | .kind}}"
            })
    void whatDoesNotFitIsRefused(String template) {
        assertThrows(
                UsageException.class, () -> GoTemplate.parse(template, true).render(OBJECT));
    }

    @Test
    void missingKeysCanBeForbidden() {
        GoTemplate template = GoTemplate.parse("{{.missing}}", false);
        assertThrows(UsageException.class, () -> template.render(OBJECT));
    }
}
