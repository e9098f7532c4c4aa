package io.kjadm.etcd.compare;

import java.time.Duration;

/**
 * How long the parts of a join took.
 *
 * @param add from the request to its answer
 * @param start until the member had published itself
 * @param catchUp until its promotion was sent
 * @param promote until it was well as a voter
 */
record Phases(Duration add, Duration start, Duration catchUp, Duration promote) {}
