package io.kjadm.etcd;

/** The arithmetic of a number of voters. */
public record Quorum(int voters) {

    /** How many of them must agree. */
    public int size() {
        return voters / 2 + 1;
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
