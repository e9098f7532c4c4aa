package io.kjadm.etcd;

import java.util.List;

/** Whether the cluster is fit for a new member. */
public sealed interface JoinVerdict {

    record Ready(List<String> warnings) implements JoinVerdict {
        public Ready {
            warnings = List.copyOf(warnings);
        }
    }

    record NotReady(String what, String why, String next) implements JoinVerdict {}
}
