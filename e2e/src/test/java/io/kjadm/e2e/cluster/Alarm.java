package io.kjadm.e2e.cluster;

/** etcd's alarms, by their numbers in its API; the stubs do not know the second. */
public enum Alarm {
    NOSPACE(1),
    CORRUPT(2);

    private final int number;

    Alarm(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }
}
