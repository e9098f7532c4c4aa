package io.kjadm.cli;

import io.kjadm.core.phase.SimilarNames;

import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

import java.util.Set;

/** Says what is wrong with a command line, and what may have been meant. */
final class UsageErrors {

    private UsageErrors() {}

    /** One sentence, and a guess where there is a similar name. */
    static String describe(ParameterException failure) {
        if (!(failure instanceof UnmatchedArgumentException unmatched)
                || unmatched.getUnmatched().isEmpty()) {
            return failure.getMessage();
        }
        CommandLine command = failure.getCommandLine();
        String word = word(unmatched);
        return "%s \"%s\" for \"%s\"%s"
                .formatted(
                        kind(unmatched, command),
                        word,
                        command.getCommandSpec().qualifiedName(),
                        SimilarNames.guess(word, names(unmatched, command)));
    }

    /** What might have stood there: picocli's own guesses pass over letters that changed places. */
    private static Set<String> names(UnmatchedArgumentException unmatched, CommandLine command) {
        return unmatched.isUnknownOption()
                ? command.getCommandSpec().optionsMap().keySet()
                : command.getSubcommands().keySet();
    }

    /** What follows a flag and {@code =} may be a token. */
    private static String word(UnmatchedArgumentException unmatched) {
        String word = unmatched.getUnmatched().getFirst();
        int equals = word.indexOf('=');
        return unmatched.isUnknownOption() && equals >= 0 ? word.substring(0, equals) : word;
    }

    private static String kind(UnmatchedArgumentException unmatched, CommandLine command) {
        if (unmatched.isUnknownOption()) {
            return "unknown flag";
        }
        return command.getSubcommands().isEmpty() ? "unexpected argument" : "unknown command";
    }
}
