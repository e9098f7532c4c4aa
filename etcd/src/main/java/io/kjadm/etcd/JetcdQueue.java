package io.kjadm.etcd;

import com.google.protobuf.ByteString;

import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/**
 * The queue in a real etcd. The endpoints are asked in order until one answers: each of the changes
 * may be made twice.
 */
public final class JetcdQueue implements EtcdQueue {

    /** A member that restarts is passed over soon. */
    private static final Duration LIMIT = Duration.ofSeconds(4);

    private final Channels channels;

    private JetcdQueue(EtcdAccess access) {
        this.channels = new Channels(access);
    }

    /**
     * Gets ready to ask; the first question connects.
     *
     * @throws EtcdCallException if the certificates or the key cannot be used
     */
    public static EtcdQueue open(EtcdAccess access) {
        return new JetcdQueue(access);
    }

    @Override
    public long grant(Duration lasts) {
        LeaseGrantRequest request =
                LeaseGrantRequest.newBuilder().setTTL(lasts.toSeconds()).build();
        return call("lease", channel -> leases(channel).leaseGrant(request).getID());
    }

    @Override
    public boolean renew(long lease) {
        LeaseKeepAliveRequest request =
                LeaseKeepAliveRequest.newBuilder().setID(lease).build();
        return call("renewal of a lease", channel -> {
            CompletableFuture<Long> left = new CompletableFuture<>();
            StreamObserver<LeaseKeepAliveRequest> questions = LeaseGrpc.newStub(channel)
                    .withDeadlineAfter(LIMIT)
                    .leaseKeepAlive(new FirstAnswer(left));
            questions.onNext(request);
            try {
                return left.join() > 0;
            } catch (CompletionException e) {
                throw e.getCause() instanceof StatusRuntimeException failure ? failure : e;
            } finally {
                questions.onCompleted();
            }
        });
    }

    /** Of a stream that goes on as long as somebody asks. */
    private record FirstAnswer(CompletableFuture<Long> left)
            implements StreamObserver<LeaseKeepAliveResponse> {

        @Override
        public void onNext(LeaseKeepAliveResponse answer) {
            left.complete(answer.getTTL());
        }

        @Override
        public void onError(Throwable failure) {
            left.completeExceptionally(failure);
        }

        @Override
        public void onCompleted() {
            left.completeExceptionally(Status.UNAVAILABLE.asRuntimeException());
        }
    }

    @Override
    public void revoke(long lease) {
        try {
            call(
                    "end of a lease",
                    channel -> leases(channel)
                            .leaseRevoke(
                                    LeaseRevokeRequest.newBuilder().setID(lease).build()));
        } catch (EtcdCallException e) {
            if (e.code() != RpcCode.NOT_FOUND) {
                throw e;
            }
        }
    }

    /** The key is the lease's alone, so that a put repeated changes nothing. */
    @Override
    public void enter(Entry entry) {
        PutRequest request = PutRequest.newBuilder()
                .setKey(ByteString.copyFromUtf8(PREFIX + Long.toHexString(entry.lease())))
                .setValue(ByteString.copyFromUtf8(entry.text()))
                .setLease(entry.lease())
                .build();
        call("entry in " + PREFIX, channel -> keys(channel).put(request));
    }

    @Override
    public List<Entry> entries() {
        RangeRequest request = RangeRequest.newBuilder()
                .setKey(ByteString.copyFromUtf8(PREFIX))
                // the character behind the last one of the prefix
                .setRangeEnd(ByteString.copyFromUtf8(
                        PREFIX.substring(0, PREFIX.length() - 1) + (char) ('/' + 1)))
                .setSortTarget(RangeRequest.SortTarget.CREATE)
                .setSortOrder(RangeRequest.SortOrder.ASCEND)
                .build();
        return call(
                "entries of " + PREFIX,
                channel -> keys(channel).range(request).getKvsList().stream()
                        .map(pair -> new Entry(pair.getLease(), pair.getValue().toStringUtf8()))
                        .toList());
    }

    private static LeaseGrpc.LeaseBlockingStub leases(ManagedChannel channel) {
        return LeaseGrpc.newBlockingStub(channel).withDeadlineAfter(LIMIT);
    }

    private static KVGrpc.KVBlockingStub keys(ManagedChannel channel) {
        return KVGrpc.newBlockingStub(channel).withDeadlineAfter(LIMIT);
    }

    private <T> T call(String what, Function<ManagedChannel, T> rpc) {
        return channels.callFirst(
                what, RpcKind.READ, failure -> failure.code() != RpcCode.NOT_FOUND, rpc);
    }

    @Override
    public void close() {
        channels.close();
    }
}
