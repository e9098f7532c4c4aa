package io.kjadm.core.etcd.replace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.KjadmException;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.join.FailReason;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A replacement is killed, and another program removes the new voter before it runs again. Its etcd
 * is on another machine than the one where the command runs.
 */
class DistantAdviceTest {

    private static boolean wasCutOnceTheNewOneVoted(ReplaceLab lab, PowerCut.Socket socket) {
        lab.socket = socket;
        try {
            lab.run("cp-2");
        } catch (PowerCut cut) {
            assertTrue(cut.at(socket));
        }
        Optional<Member> voter = lab.ops.etcd.members().stream()
                .filter(Member::voter)
                .filter(ReplaceLab.NEW::hasUrlOf)
                .findFirst();
        voter.ifPresent(member -> lab.ops.etcd.removeByOther(member.id()));
        lab.socket = new PowerCut.Socket(Integer.MAX_VALUE);
        return socket.wasCut() && voter.isPresent();
    }

    /** What the next run ends with. */
    private static Optional<KjadmException> end(ReplaceLab lab) {
        try {
            lab.run("cp-2");
            return Optional.empty();
        } catch (KjadmException e) {
            return Optional.of(e);
        }
    }

    @Tag("power-cut")
    @ParameterizedTest
    @CsvSource({"false", "true"})
    void nobodyIsToldToResetTheNodeWhereTheCommandRuns(boolean oldIsDead) {
        int removed = 0;
        Set<String> advised = new TreeSet<>();
        for (PowerCut.Socket socket : PowerCut.everyMoment()) {
            ReplaceLab lab = new ReplaceLab(3);
            if (oldIsDead) {
                lab.ops.etcd.stop(lab.ops.etcd.id("cp-2"));
            }
            if (!wasCutOnceTheNewOneVoted(lab, socket)) {
                continue;
            }
            Optional<KjadmException> end = end(lab);
            end.ifPresent(refusal -> advised.addAll(Named.commands(refusal.next())));
            if (end.flatMap(KjadmException::reason)
                    .filter(FailReason.REMOVED::equals)
                    .isPresent()) {
                removed++;
                // the same command adds it again, as is told
                lab.run("cp-2");
                assertEquals("cp-1 cp-3 new", lab.voters(), socket::toString);
            }
        }
        assertEquals(Set.of("kjadm etcd member remove"), advised);
        assertTrue(removed > 0, "no run was killed while the vote was noted");
    }
}
