package io.kjadm.etcd;

/**
 * How far a learner has followed the leader's log.
 *
 * @param applied the last entry the learner has applied
 * @param target the leader's commit index
 */
public record CatchUp(long applied, long target) {

    public long lag() {
        return Math.max(0, target - applied);
    }

    public int percent() {
        if (target <= 0 || applied >= target) {
            return 100;
        }
        return (int) (Math.max(0, applied) * 100 / target);
    }

    @Override
    public String toString() {
        return "%d %% (entry %d of %d)".formatted(percent(), applied, target);
    }
}
