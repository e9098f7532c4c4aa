package io.kjadm.manifests;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One command line argument, {@code --name=value}; the name carries no dashes and the value may be
 * empty.
 */
public record Argument(String name, String value) {

    public Argument {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(value, "value");
    }

    /** The argument as a process receives it. */
    public String text() {
        return "--" + name + "=" + value;
    }

    /** The value that counts if a name is given several times: the last one. */
    public static Optional<String> lastValue(List<Argument> arguments, String name) {
        return arguments.stream()
                .filter(argument -> argument.name().equals(name))
                .map(Argument::value)
                .reduce((earlier, later) -> later);
    }
}
