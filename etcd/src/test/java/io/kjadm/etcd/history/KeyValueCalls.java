package io.kjadm.etcd.history;

import java.util.Optional;

/** One client's way to etcd; a test may put a fault between. */
interface KeyValueCalls extends AutoCloseable {

    /** @return none if there was no answer in time, or an error, which leaves open what happened */
    Optional<Response> call(Request request);

    @Override
    default void close() {}
}
