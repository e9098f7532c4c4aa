package io.kjadm.etcd;

import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.SnapshotRequest;
import io.etcd.jetcd.api.SnapshotResponse;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The parts of a snapshot on their way. Some are asked for ahead of their taker: a blocking stub
 * asks for each by itself, and two threads that wake each other up 32,000 times for 1 GiB take
 * longer than etcd and the disk.
 */
final class SnapshotStream {

    /** Of at most 32 KiB each. */
    private static final int AHEAD = 32;

    /** What comes. */
    private sealed interface Event {

        record Part(SnapshotResponse response) implements Event {}

        record End(Status status, Metadata trailers) implements Event {}
    }

    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final ClientCall<SnapshotRequest, SnapshotResponse> call;

    private SnapshotStream(ManagedChannel channel, Duration limit) {
        call = channel.newCall(
                MaintenanceGrpc.getSnapshotMethod(),
                CallOptions.DEFAULT
                        .withDeadlineAfter(limit)
                        // only a queue is filled
                        .withExecutor(Runnable::run));
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(SnapshotResponse response) {
                        events.add(new Event.Part(response));
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        events.add(new Event.End(status, trailers));
                    }
                },
                new Metadata());
        call.request(AHEAD);
        call.sendMessage(SnapshotRequest.getDefaultInstance());
        call.halfClose();
    }

    /**
     * Passes all of a snapshot on.
     *
     * @throws StatusRuntimeException if it does not come to its end
     * @throws IOException            if {@code into} does not take it; no more is sent then
     */
    static void pass(ManagedChannel channel, Duration limit, OutputStream into) throws IOException {
        SnapshotStream stream = new SnapshotStream(channel, limit);
        boolean ended = false;
        try {
            stream.passParts(into);
            ended = true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Status.CANCELLED.withCause(e).asRuntimeException();
        } finally {
            if (!ended) {
                stream.call.cancel("no reader takes it", null);
            }
        }
    }

    private void passParts(OutputStream into) throws IOException, InterruptedException {
        int taken = 0;
        while (true) {
            switch (events.take()) {
                case Event.Part(SnapshotResponse response) -> {
                    response.getBlob().writeTo(into);
                    if (++taken == AHEAD / 2) {
                        call.request(taken);
                        taken = 0;
                    }
                }
                case Event.End(Status status, Metadata trailers) -> {
                    if (!status.isOk()) {
                        throw status.asRuntimeException(trailers);
                    }
                    return;
                }
            }
        }
    }
}
