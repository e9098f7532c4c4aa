package io.kjadm.core.join;

import java.util.List;

/**
 * What only flags say about a join.
 *
 * @param ignorePreflightErrors lower-case names of checks whose errors are warnings
 */
public record JoinOptions(List<String> ignorePreflightErrors) {

    public JoinOptions {
        ignorePreflightErrors = List.copyOf(ignorePreflightErrors);
    }
}
