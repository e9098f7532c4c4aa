package io.kjadm.core.join;

import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.RejoinOptions;

import java.util.List;

/**
 * What only flags say about a join.
 *
 * @param ignorePreflightErrors lower-case names of checks whose errors are warnings
 * @param rejoin                what the etcd join may do only because the operator says so
 * @param limits                of the etcd join; how long a fault may last is
 *         {@code timeouts.etcdAPICall}
 */
public record JoinOptions(
        List<String> ignorePreflightErrors, RejoinOptions rejoin, JoinLimits limits) {

    public JoinOptions {
        ignorePreflightErrors = List.copyOf(ignorePreflightErrors);
    }

    /** Every other flag as if it were not given. */
    public JoinOptions(List<String> ignorePreflightErrors) {
        this(ignorePreflightErrors, RejoinOptions.NONE, JoinLimits.DEFAULTS);
    }
}
