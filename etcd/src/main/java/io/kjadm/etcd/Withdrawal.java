package io.kjadm.etcd;

import java.time.Duration;

/** What came of taking an announced member back. */
public sealed interface Withdrawal {

    /** Nothing of ours is listed. */
    record NothingListed() implements Withdrawal {}

    /** It is gone, confirmed by the member list. */
    record Removed(Member member) implements Withdrawal {}

    /** A promotion came through after all: the member votes and stays, and the join goes on. */
    record NowVoter(Member member) implements Withdrawal {}

    /** Call again, not before the pause is over. */
    record MustWait(String why, Duration pause) implements Withdrawal {}

    /** It is still listed. */
    record Kept(String what, String why, String next) implements Withdrawal {}
}
