package io.kjadm.e2e.faults;

import io.kjadm.e2e.cluster.Trial;

import java.util.List;
import java.util.stream.Stream;

/**
 * One fault, and what has to become of the cluster. It begins with node 1 alone.
 *
 * @param number of the failure catalogue, such as {@code F29}; several are joined by a space
 * @param what happens, in a few words
 * @param tolerance what the writer may see
 * @param usual whether it is played in every build
 * @param play makes the fault, and asserts what came of it
 */
public record FaultCase(String number, String what, Tolerance tolerance, boolean usual, Play play) {

    /** What a fault may do to those who write. */
    public enum Tolerance {
        NO_FAILED_WRITE,
        /** It takes the quorum away by itself: writes may fail, and none may be lost. */
        OUTAGE,
        /** There is no cluster afterwards. */
        END
    }

    /** A fault being played. */
    public interface Play {
        /** Plays it. */
        void on(Trial trial) throws Exception;
    }

    static FaultCase of(String number, String what, Play play) {
        return new FaultCase(number, what, Tolerance.NO_FAILED_WRITE, false, play);
    }

    static FaultCase withOutage(String number, String what, Play play) {
        return new FaultCase(number, what, Tolerance.OUTAGE, false, play);
    }

    static FaultCase atTheEnd(String number, String what, Play play) {
        return new FaultCase(number, what, Tolerance.END, false, play);
    }

    /** The same, played in every build. */
    FaultCase usually() {
        return new FaultCase(number, what, tolerance, true, play);
    }

    /** Whether the catalogue has it under this number. */
    public boolean hasNumber(String wanted) {
        return List.of(number.split(" ")).contains(wanted);
    }

    /** All there are. */
    public static Stream<FaultCase> all() {
        return Stream.of(
                        RefusedJoins.cases(),
                        WrongCertificates.cases(),
                        LostAnswers.cases(),
                        Learners.cases(),
                        Voters.cases(),
                        OtherActors.cases(),
                        OtherClusters.cases(),
                        Resets.cases())
                .flatMap(List::stream);
    }

    @Override
    public String toString() {
        return number + " " + what;
    }
}
