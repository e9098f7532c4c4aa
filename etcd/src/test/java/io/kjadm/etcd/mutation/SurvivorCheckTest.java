package io.kjadm.etcd.mutation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class SurvivorCheckTest {

    private static final String ENTRY =
            "a.b.Rule\tholds\tnegated conditional\t2\tif (a && b) {\tboth are the same here";

    @TempDir
    Path directory;

    private MutationReport report(String... killedOrNot) throws IOException {
        Path source = directory.resolve("a/b/Rule.java");
        Files.createDirectories(source.getParent());
        Files.writeString(source, "class Rule {\n    if (a && b) {\n");
        var xml = new StringBuilder("<mutations>");
        for (String detected : killedOrNot) {
            xml.append("""
                    <mutation detected='%s'><sourceFile>Rule.java</sourceFile>
                    <mutatedClass>a.b.Rule</mutatedClass>
                    <mutatedMethod>lambda$holds$7</mutatedMethod>
                    <lineNumber>2</lineNumber><description>negated conditional</description>
                    </mutation>""".formatted(detected));
        }
        Path report =
                Files.writeString(directory.resolve("mutations.xml"), xml.append("</mutations>"));
        return MutationReport.read(report, List.of(directory.resolve("other"), directory));
    }

    private static List<String> problems(MutationReport report, String... accepted) {
        return SurvivorCheck.problems(report, SurvivorCheck.accepted(List.of(accepted)));
    }

    @Test
    void survivorsThatAreListedPass() throws IOException {
        assertEquals(List.of(), problems(report("false", "true", "false"), "# why", ENTRY));
    }

    @Test
    void aSurvivorThatIsNotListedFails() throws IOException {
        assertEquals(
                List.of("survived: a.b.Rule\tholds\tnegated conditional\t3\tif (a && b) {"),
                problems(report("false", "false", "false"), ENTRY));
        assertEquals(1, problems(report("false")).size());
    }

    @Test
    void anEntryThatNoSurvivorAnswersToFails() throws IOException {
        assertEquals(
                List.of(
                        "no longer survives: a.b.Rule\tholds\tnegated conditional\t0\tif (a && b) {"),
                problems(report("true", "true"), ENTRY));
        assertEquals(1, problems(report("true", "false"), ENTRY).size());
    }

    @Test
    void anEntryWantsAReasonAndIsThereOnce() {
        assertThrows(
                IllegalArgumentException.class,
                () -> SurvivorCheck.accepted(
                        List.of(ENTRY.substring(0, ENTRY.lastIndexOf('\t') + 1))));
        assertThrows(
                IllegalArgumentException.class,
                () -> SurvivorCheck.accepted(List.of(ENTRY, ENTRY)));
    }

    @Test
    void figuresAreOfPackages() throws IOException {
        assertEquals(
                List.of("| `a.b` | 3 | 1 | 2 |"),
                SurvivorCheck.figures(report("false", "true", "false")));
    }
}
