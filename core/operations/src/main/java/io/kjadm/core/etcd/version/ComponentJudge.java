package io.kjadm.core.etcd.version;

/** What tells whether a component works that was exchanged. */
public interface ComponentJudge {

    /** What is not as it should be; empty text if all is. */
    String problem();

    /** Whether it shows that it is getting on, so that it is given more time. */
    default boolean starting() {
        return false;
    }
}
