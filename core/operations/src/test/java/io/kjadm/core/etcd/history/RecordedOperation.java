package io.kjadm.core.etcd.history;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.check.KnownDefects;
import io.kjadm.etcd.check.KnownDefects.AtJoin;

import java.io.IOException;
import java.util.Locale;

/** What is done to three voters while clients work. */
enum RecordedOperation {
    REPLACE_A_FOLLOWER(true) {
        @Override
        void play(RecordedMembers members) throws IOException {
            members.replace(members.follower());
        }
    },
    REPLACE_THE_LEADER(true) {
        @Override
        void play(RecordedMembers members) throws IOException {
            members.replace(members.leader());
        }
    },
    REPLACE_A_DEAD_MEMBER(true) {
        @Override
        void play(RecordedMembers members) throws IOException {
            String dead = members.leader();
            members.kill(dead);
            members.replace(dead);
        }
    },
    REPLACE_WITH_POWER_CUTS(true) {
        @Override
        void play(RecordedMembers members) throws IOException {
            members.replaceWithPowerCuts(members.leader());
        }
    },
    PROMOTE_A_LEARNER(true) {
        @Override
        void play(RecordedMembers members) throws IOException {
            members.addAndPromote();
        }
    },
    PROMOTE_THREE_LEARNERS(true) {
        @Override
        void play(RecordedMembers members) throws IOException {
            for (int i = 0; i < 3; i++) {
                members.addAndPromote();
            }
        }
    },
    REMOVE_THE_LEADER(false) {
        @Override
        void play(RecordedMembers members) throws IOException {
            members.remove(members.leader());
        }
    },
    MOVE_THE_LEADERSHIP(false) {
        @Override
        void play(RecordedMembers members) throws IOException {
            members.moveLeader();
        }
    },
    /** A machine that hangs; etcd before 3.5.28 and 3.6.9 may answer a read from what it had. */
    SUSPEND_THE_LEADER(false) {
        @Override
        void play(RecordedMembers members) throws IOException {
            for (int i = 0; i < 3; i++) {
                members.suspend(members.leader());
            }
        }
    },
    DEFRAGMENT(false) {
        @Override
        void play(RecordedMembers members) throws IOException {
            members.defragment();
        }
    },
    SNAPSHOT(false) {
        @Override
        void play(RecordedMembers members) throws IOException {
            members.snapshot();
        }
    };

    private final boolean promotes;

    /** @param promotes whether a learner is promoted */
    RecordedOperation(boolean promotes) {
        this.promotes = promotes;
    }

    /** Whether kjadm does it with that etcd: with some releases it promotes no learner. */
    boolean possibleWith(EtcdVersion etcd) {
        return !promotes
                || KnownDefects.shipped().of(etcd).stream()
                        .flatMap(affected -> affected.defects().stream())
                        .noneMatch(defect -> defect.atJoin() == AtJoin.REFUSED);
    }

    abstract void play(RecordedMembers members) throws IOException;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
