package io.kjadm.etcd.compare;

import io.kjadm.etcd.join.LearnerMemberAdder;
import io.kjadm.etcd.join.LegacyVotingMemberAdder;
import io.kjadm.etcd.join.MemberAdder;

/** The two ways to add a member. */
enum Adder {
    LEARNER("learner") {
        @Override
        MemberAdder create() {
            return new LearnerMemberAdder();
        }
    },
    VOTER("voter at once") {
        @Override
        MemberAdder create() {
            return new LegacyVotingMemberAdder();
        }
    };

    private final String title;

    Adder(String title) {
        this.title = title;
    }

    abstract MemberAdder create();

    String title() {
        return title;
    }
}
