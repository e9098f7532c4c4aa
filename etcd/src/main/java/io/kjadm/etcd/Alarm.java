package io.kjadm.etcd;

/**
 * An alarm raised in the cluster, which stays until somebody disarms it.
 *
 * @param kind {@link #NOSPACE} or {@link #CORRUPT}
 */
public record Alarm(MemberId memberId, String kind) {

    /** A database is as large as its quota allows; every member refuses writes. */
    public static final String NOSPACE = "NOSPACE";

    /** The member's keys are others than its peers have; every member refuses reads and writes. */
    public static final String CORRUPT = "CORRUPT";

    /** What to do about either. */
    public static final String WAY_OUT =
            "for NOSPACE run 'kjadm etcd alarm disarm', which frees space first; for CORRUPT replace the member, "
                    + "as 'kjadm etcd alarm disarm' shows";

    /** Whether it is of that kind. */
    public boolean is(String other) {
        return kind.equals(other);
    }
}
