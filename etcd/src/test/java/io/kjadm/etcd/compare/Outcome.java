package io.kjadm.etcd.compare;

import java.time.Duration;

/**
 * What one join came to.
 *
 * @param voters of the cluster before the join
 * @param acknowledged writes that were acknowledged
 * @param failed writes that were not, within their time-out
 * @param lost writes that were acknowledged and are not there any more
 * @param learnersLeft members listed at the end that are learners
 * @param votersLeft members listed at the end that vote, were added, and do not run well
 * @param serving whether the cluster answers linearizable reads at the end
 * @param end what the tool said in the end: "joined"
 * @param toolTime from its start to its end
 */
record Outcome(
        Fault fault,
        int voters,
        Adder adder,
        Gap gap,
        int acknowledged,
        int failed,
        int lost,
        int learnersLeft,
        int votersLeft,
        boolean serving,
        String end,
        Duration toolTime) {

    /** "30 s, 2758 writes failed; joined, 30 s"; what is left and not serving is added. */
    String inWords() {
        String writes = failed == 0 ? gap.toString() : gap + ", " + failed + " writes failed";
        return writes
                + "; "
                + end
                + ", "
                + Gap.words(toolTime)
                + (learnersLeft > 0 ? "; " + learnersLeft + " learner" : "")
                + (votersLeft > 0 ? "; " + votersLeft + " voter" : "")
                + (serving ? "" : "; **etcd stopped**");
    }
}
