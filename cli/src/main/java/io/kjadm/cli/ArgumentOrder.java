package io.kjadm.cli;

import io.kjadm.core.flag.Flag;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Brings arguments into the order in which they are parsed: first the words, which name the command
 * and what it works on, then the flags. So a flag may stand before the command that knows it, as in
 * kubeadm: {@code --kubeconfig FILE token create}. In names of flags an underscore counts as a dash
 * (component-base, {@code WordSepNormalizeFunc}).
 */
final class ArgumentOrder {

    private static final String END_OF_FLAGS = "--";
    private static final String VERBOSITY_LETTER = "v";

    /** Flags that belong to every command and are no part of the registry, and need a value. */
    private static final List<String> GLOBAL = List.of("v", "vmodule", "rootfs");

    private static final Map<String, Flag> BY_LETTER = Stream.of(Flag.values())
            .filter(flag -> !flag.letter().isEmpty())
            .collect(Collectors.toMap(Flag::letter, flag -> flag));

    private final List<String> words = new ArrayList<>();
    private final List<String> flags = new ArrayList<>();

    private ArgumentOrder() {}

    /**
     * The same arguments, words first. What follows {@code --} stays behind it; before any word,
     * {@code --help} asks for the help of the program, in kubeadm too.
     */
    static String[] of(String... arguments) {
        if (arguments.length > 0 && CommandTree.isHelp(arguments[0])) {
            return arguments;
        }
        ArgumentOrder order = new ArgumentOrder();
        order.read(List.of(arguments));
        return Stream.concat(order.words.stream(), order.flags.stream()).toArray(String[]::new);
    }

    private void read(List<String> arguments) {
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            if (argument.equals(END_OF_FLAGS)) {
                flags.addAll(arguments.subList(i, arguments.size()));
                return;
            }
            if (!argument.startsWith("-") || argument.equals("-")) {
                words.add(argument);
                continue;
            }
            flags.add(dashed(argument));
            if (takesNext(dashed(argument)) && i + 1 < arguments.size()) {
                i++;
                flags.add(arguments.get(i));
            }
        }
    }

    private static String dashed(String argument) {
        if (!argument.startsWith("--")) {
            return argument;
        }
        int equals = argument.indexOf('=');
        String name = equals < 0 ? argument : argument.substring(0, equals);
        return name.replace('_', '-') + argument.substring(name.length());
    }

    /**
     * Whether the next argument is the value of this one. So it is with a flag that no command has:
     * what follows it is no command then.
     */
    private static boolean takesNext(String argument) {
        if (argument.contains("=")) {
            return false;
        }
        return argument.startsWith("--")
                ? needsValue(argument.substring(2))
                : lettersNeedValue(argument.substring(1));
    }

    private static boolean needsValue(String name) {
        if (GLOBAL.contains(name)) {
            return true;
        }
        return !name.equals("help")
                && Flag.named(name).map(ArgumentOrder::hasValue).orElse(true);
    }

    /** In {@code -fo}, {@code -o} lacks its value; in {@code -ojson}, it has it. */
    private static boolean lettersNeedValue(String letters) {
        for (int i = 0; i < letters.length(); i++) {
            String letter = letters.substring(i, i + 1);
            Optional<Flag> flag = Optional.ofNullable(BY_LETTER.get(letter));
            if (letter.equals(VERBOSITY_LETTER)
                    || flag.map(ArgumentOrder::hasValue).orElse(false)) {
                return i == letters.length() - 1;
            }
        }
        return false;
    }

    private static boolean hasValue(Flag flag) {
        return flag.kind() != Flag.Kind.SWITCH;
    }
}
