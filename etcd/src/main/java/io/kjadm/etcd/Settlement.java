package io.kjadm.etcd;

import java.util.List;
import java.util.Optional;

/** Where an announced member stands. */
public sealed interface Settlement {

    /** It votes: the join of the member is done. */
    record Voter(Member member, List<Member> members) implements Settlement {
        public Voter {
            members = List.copyOf(members);
        }
    }

    /** Ask again; {@code reason} is what is awaited. */
    record CatchingUp(MemberId id, String reason, Optional<CatchUp> progress) implements Settlement {}

    /** Somebody removed it. Its ID can never return. */
    record Gone(MemberId id) implements Settlement {}

    /** Waiting longer will not help. */
    record Failed(MemberId id, String what, String why, String next) implements Settlement {}
}
