package io.kjadm.cli.console;

import io.kjadm.cli.console.EventLog.Level;
import io.kjadm.core.phase.Confirmation;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Asks on the terminal, or whatever standard input is; its end is a no. */
public final class ConsoleConfirmation implements Confirmation {

    private static final Set<String> YES = Set.of("y", "yes");

    private final Console console;

    public ConsoleConfirmation(Console console) {
        this.console = console;
    }

    /** Asks unless the answer was given beforehand, or is not needed. */
    public static Confirmation unless(boolean given, Console console) {
        return given ? GIVEN : new ConsoleConfirmation(console);
    }

    @Override
    public boolean confirm(String area, String question) {
        ask(area, question + " [y/N]: ");
        try {
            String answer = new BufferedReader(
                            new InputStreamReader(System.in, Charset.defaultCharset()))
                    .readLine();
            if (answer != null && Console.isTerminal(0)) {
                // its echo has ended the line of the question; that of a pipe or of Ctrl-D has not
                console.live().lineEnded();
            }
            return answer != null && YES.contains(answer.strip().toLowerCase(Locale.ROOT));
        } catch (IOException e) {
            return false;
        }
    }

    private void ask(String area, String question) {
        if (console.events().isPresent()) {
            console.events().get().log(Level.INFO, Optional.of(area), question);
            return;
        }
        console.steps().print(PlainText.of("[%s] %s".formatted(area, question)));
        console.steps().flush();
    }
}
