package io.kjadm.core.reset;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.check.WalText;
import io.kjadm.core.journal.ChangingCommand;
import io.kjadm.core.journal.UnfinishedOperations;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.join.JoinState;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Optional;

/**
 * A join died when its learner had started, and kubeadm has reset the node and joined it to the same
 * cluster: the note of the first member is still there.
 */
class JoinOvertakenTest {

    private static final long NOTED = 0xb001;

    private final ResetLab lab = new ResetLab();

    @BeforeEach
    void aJoinIsNoted() {
        lab.died(JoinState.STARTED, "c1", Optional.of(new MemberId(NOTED)));
    }

    private void runs(long member) {
        lab.files.with("/var/lib/etcd/member/wal/0.wal", WalText.of(member, 0xc1));
        lab.etcdPod("cp-1");
    }

    private void permit(ChangingCommand command) {
        UnfinishedOperations.on(lab.files).require(command);
    }

    @ParameterizedTest
    @EnumSource
    void theNoteOfAnotherMemberStopsNothing(ChangingCommand command) {
        runs(0xa001);
        assertDoesNotThrow(() -> permit(command));
    }

    @Test
    void thatOfTheMemberThatRunsDoes() {
        runs(NOTED);
        assertThrows(HostException.class, () -> permit(ChangingCommand.UPGRADING));
    }

    @Test
    void theMemberThatRunsLeavesWithTheNode() {
        runs(0xa001);
        lab.reset().conclude();
        assertFalse(lab.listed("cp-1"));
        assertFalse(lab.files.exists(ResetLab.JOIN_NOTE));
    }
}
