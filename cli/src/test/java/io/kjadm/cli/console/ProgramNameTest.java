package io.kjadm.cli.console;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.CommandTree;
import io.kjadm.cli.TestConsole;
import io.kjadm.cli.TestConsole.Run;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

class ProgramNameTest {

    @ParameterizedTest
    @CsvSource({
        "kubeadm, , KUBEADM",
        "kjadm, , KJADM",
        ", , KJADM",
        "kubeadm-1.36, , KJADM",
        "kjadm, kubeadm, KUBEADM",
        "kubeadm, kjadm, KJADM",
        "kubeadm, '', KUBEADM"
    })
    void theVariableCountsBeforeTheNameOfTheCall(String called, String as, ProgramName name) {
        Map<String, String> environment = as == null ? Map.of() : Map.of(ProgramName.VARIABLE, as);
        assertEquals(name, ProgramName.of(Optional.ofNullable(called), environment));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kjadm join A --token T | kubeadm join A --token T",
                "run 'kjadm init phase upload-certs' or kjadm reset"
                        + " | run 'kubeadm init phase upload-certs' or kubeadm reset",
                "kjadm etcd status | kjadm etcd status",
                "'kjadm etcd reset', 'kjadm token list' | 'kjadm etcd reset', 'kubeadm token list'",
                "another kjadm is running | another kjadm is running",
                "/usr/bin/kjadm init | /usr/bin/kjadm init",
                "my-kjadm init | my-kjadm init",
                "a kjadm configuration | a kjadm configuration",
                "kjadm init-like | kjadm init-like"
            })
    void commandsThatKubeadmHasAreNamedAsTheProgramIsCalled(String text, String named) {
        assertEquals(named, ProgramName.KUBEADM.inCommands(text));
        assertEquals(text, ProgramName.KJADM.inCommands(text));
    }

    @Test
    void everyCommandIsEitherSharedOrOnlyKjadms() {
        Set<String> commands = new TreeSet<>(CommandTree.names());
        commands.removeAll(ProgramName.SHARED);
        assertEquals(Set.of("etcd"), commands);
    }

    @Test
    void helpAndUsageNameTheCommand() {
        Run help = TestConsole.runAs(ProgramName.KUBEADM, "token", "create", "--help");
        assertTrue(help.out().startsWith("Usage: kubeadm token create "), help.all());
        assertTrue(help.out().matches("(?s).*'kubeadm\\s+join'.*"), help.all());
        assertFalse(help.out().contains("kjadm"), help.all());
        Run usage = TestConsole.runAs(ProgramName.KUBEADM, "tokn");
        assertEquals(1, usage.status());
        assertTrue(
                usage.err().startsWith("error: unknown command \"tokn\" for \"kubeadm\""),
                usage.all());
    }

    @Test
    void adviceNamesTheCommand() {
        Run run = TestConsole.runAs(ProgramName.KUBEADM, "token", "delete");
        assertEquals(1, run.status());

        assertEquals(
                List.of(
                        "error: a token is missing: delete removes those that are named",
                        "Next: name tokens or their ids: kubeadm token delete abcdef",
                        "To see the stack trace of this error execute with --v=5 or higher"),
                run.err().lines().toList());
    }

    @ParameterizedTest
    @CsvSource({
        "KJADM, v1.36.2, true",
        "KJADM, v1.37.0, true",
        "KUBEADM, v1.36.2, true",
        "KUBEADM, v1.37.0, false",
        "KUBEADM, v1.38.1, false"
    })
    void filesOfV1Beta3AreReadAsLongAsKubeadmDoes(ProgramName name, String release, boolean read) {
        assertEquals(read, name.readsV1Beta3(release));
    }

    @Test
    void serversSeeBothNames() {
        String agent = ProgramName.KUBEADM.userAgent();
        assertTrue(agent.matches("kubeadm/v1\\.\\d+\\.\\d+ \\(kjadm \\S+\\)"), agent);
        assertEquals("kjadm", ProgramName.KJADM.userAgent());
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh"})
    void completionIsForTheCommand(String shell) {
        Run run = TestConsole.runAs(ProgramName.KUBEADM, "completion", shell);
        assertEquals(0, run.status());
        assertHasLine(
                "complete -F _complete_kubeadm -o default kubeadm kubeadm.sh kubeadm.bash",
                run.out());
        assertEquals(
                Set.of("_complete_kubeadm"),
                Pattern.compile("_complete_\\w+")
                        .matcher(run.out())
                        .results()
                        .map(MatchResult::group)
                        .collect(Collectors.toSet()));
    }
}
