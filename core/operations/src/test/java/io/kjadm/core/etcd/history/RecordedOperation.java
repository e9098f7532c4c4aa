package io.kjadm.core.etcd.history;

import java.io.IOException;
import java.util.Locale;

/** What is done to three voters while clients work. */
enum RecordedOperation {
    REPLACE_A_FOLLOWER {
        @Override
        void play(RecordedMembers members) throws IOException {
            members.replace(members.follower());
        }
    },
    REPLACE_THE_LEADER {
        @Override
        void play(RecordedMembers members) throws IOException {
            members.replace(members.leader());
        }
    },
    REPLACE_A_DEAD_MEMBER {
        @Override
        void play(RecordedMembers members) throws IOException {
            String dead = members.leader();
            members.kill(dead);
            members.replace(dead);
        }
    },
    REPLACE_WITH_POWER_CUTS {
        @Override
        void play(RecordedMembers members) throws IOException {
            members.replaceWithPowerCuts(members.leader());
        }
    },
    PROMOTE_A_LEARNER {
        @Override
        void play(RecordedMembers members) throws IOException {
            members.addAndPromote();
        }
    },
    PROMOTE_THREE_LEARNERS {
        @Override
        void play(RecordedMembers members) throws IOException {
            for (int i = 0; i < 3; i++) {
                members.addAndPromote();
            }
        }
    },
    REMOVE_THE_LEADER {
        @Override
        void play(RecordedMembers members) throws IOException {
            members.remove(members.leader());
        }
    },
    MOVE_THE_LEADERSHIP {
        @Override
        void play(RecordedMembers members) throws IOException {
            members.moveLeader();
        }
    },
    DEFRAGMENT {
        @Override
        void play(RecordedMembers members) throws IOException {
            members.defragment();
        }
    },
    SNAPSHOT {
        @Override
        void play(RecordedMembers members) throws IOException {
            members.snapshot();
        }
    };

    abstract void play(RecordedMembers members) throws IOException;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
