package io.kjadm.etcd;

/** The arithmetic of a number of voters. */
public record Quorum(int voters) {

    /** How many of them must agree. */
    public int size() {
        return voters / 2 + 1;
    }

    /**
     * How many of them have to be healthy before the members are changed: every one, or, where the
     * operator allows a degraded cluster, as many as must agree.
     */
    public int needed(boolean allowDegraded) {
        return allowDegraded ? size() : voters;
    }

    /** How many of them may fail. */
    public int tolerated() {
        return Math.max(0, voters - size());
    }

    public Quorum plusOne() {
        return new Quorum(voters + 1);
    }

    public Quorum minusOne() {
        return new Quorum(voters - 1);
    }
}
