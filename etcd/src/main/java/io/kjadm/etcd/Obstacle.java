package io.kjadm.etcd;

/** Something in the cluster that stands against a new member until an operator has removed it. */
public record Obstacle(String what, String why, String next) {

    @Override
    public String toString() {
        return what + ": " + why + "; " + next;
    }
}
