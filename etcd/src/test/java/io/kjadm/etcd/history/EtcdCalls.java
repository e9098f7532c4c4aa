package io.kjadm.etcd.history;

import com.google.protobuf.ByteString;

import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.kjadm.etcd.history.Request.Condition;
import io.kjadm.etcd.history.Request.Condition.Target;
import io.kjadm.etcd.history.Response.Deleted;
import io.kjadm.etcd.history.Response.Found;
import io.kjadm.etcd.history.Response.Read;
import io.kjadm.etcd.history.Response.Written;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Calls one member until a call fails or some dozens were made, and the next one then. A call is
 * sent once: one that is sent again could be two writes.
 */
final class EtcdCalls implements KeyValueCalls {

    /** How long a call may take before it counts as not answered. */
    static final Duration TIME_OUT = Duration.ofSeconds(2);

    private static final int CALLS_TO_ONE = 40;

    private final Supplier<List<URI>> endpoints;
    private final Function<URI, ManagedChannel> dial;
    private final Map<URI, ManagedChannel> channels = new HashMap<>();
    private int current;
    private int made;

    /**
     * @param endpoints asked before each call
     * @param dial makes a connection
     * @param first number of the endpoint that is asked first
     */
    EtcdCalls(Supplier<List<URI>> endpoints, Function<URI, ManagedChannel> dial, int first) {
        this.endpoints = endpoints;
        this.dial = dial;
        this.current = first;
    }

    @Override
    public Optional<Response> call(Request request) {
        made++;
        if (made % CALLS_TO_ONE == 0) {
            current++;
        }
        List<URI> serving = endpoints.get();
        if (serving.isEmpty()) {
            return Optional.empty();
        }
        URI endpoint = serving.get(current % serving.size());
        KVGrpc.KVBlockingStub stub = KVGrpc.newBlockingStub(
                        channels.computeIfAbsent(endpoint, dial))
                .withDeadlineAfter(TIME_OUT.toNanos(), TimeUnit.NANOSECONDS);
        try {
            return Optional.of(
                    switch (request) {
                        case Request.Put put ->
                            new Written(stub.put(putRequest(put.key(), put.value()))
                                    .getHeader()
                                    .getRevision());
                        case Request.PutWith put ->
                            new Written(stub.txn(transaction(put)).getHeader().getRevision());
                        case Request.Delete delete -> {
                            var answer = stub.deleteRange(deleteRequest(delete));
                            yield new Deleted(
                                    answer.getHeader().getRevision(), answer.getDeleted() > 0);
                        }
                        case Request.Get get -> {
                            RangeResponse answer =
                                    stub.range(getRequest(get.key(), get.serializable()));
                            yield read(answer.getHeader().getRevision(), answer);
                        }
                        case Request.PutIf put -> answer(stub.txn(transaction(put)));
                    });
        } catch (StatusRuntimeException e) {
            current++;
            // a connection that has failed waits longer and longer before it tries again
            channels.remove(endpoint).shutdownNow();
            return Optional.empty();
        }
    }

    static PutRequest putRequest(String key, String value) {
        return PutRequest.newBuilder().setKey(bytes(key)).setValue(bytes(value)).build();
    }

    /**
     * The end of the range would be the key and a zero byte; with the mark behind it the range still
     * has this key alone, and the log shows which delete it is.
     */
    static DeleteRangeRequest deleteRequest(Request.Delete delete) {
        return DeleteRangeRequest.newBuilder()
                .setKey(bytes(delete.key()))
                .setRangeEnd(bytes(delete.key() + "\0" + delete.id()))
                .build();
    }

    private static RangeRequest getRequest(String key, boolean serializable) {
        return RangeRequest.newBuilder()
                .setKey(bytes(key))
                .setSerializable(serializable)
                .build();
    }

    static TxnRequest transaction(Request.PutIf put) {
        return TxnRequest.newBuilder()
                .addCompare(compare(put.key(), put.condition()))
                .addSuccess(
                        RequestOp.newBuilder().setRequestPut(putRequest(put.key(), put.value())))
                .addFailure(RequestOp.newBuilder().setRequestRange(getRequest(put.key(), false)))
                .build();
    }

    static TxnRequest transaction(Request.PutWith put) {
        return TxnRequest.newBuilder()
                .addSuccess(
                        RequestOp.newBuilder().setRequestPut(putRequest(put.key(), put.value())))
                .addSuccess(
                        RequestOp.newBuilder().setRequestPut(putRequest(put.other(), put.value())))
                .build();
    }

    private static Compare compare(String key, Condition condition) {
        Compare.Builder compare =
                Compare.newBuilder().setKey(bytes(key)).setResult(Compare.CompareResult.EQUAL);
        return condition.target() == Target.VERSION
                ? compare.setTarget(Compare.CompareTarget.VERSION)
                        .setVersion(condition.number())
                        .build()
                : compare.setTarget(Compare.CompareTarget.MOD)
                        .setModRevision(condition.number())
                        .build();
    }

    private static Response answer(TxnResponse answer) {
        long revision = answer.getHeader().getRevision();
        return answer.getSucceeded()
                ? new Written(revision)
                : read(revision, answer.getResponses(0).getResponseRange());
    }

    private static Read read(long revision, RangeResponse answer) {
        return new Read(
                revision,
                answer.getKvsList().stream()
                        .findFirst()
                        .map(pair -> new Found(
                                pair.getValue().toStringUtf8(),
                                pair.getVersion(),
                                pair.getModRevision())));
    }

    static ByteString bytes(String text) {
        return ByteString.copyFrom(text, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        channels.values().forEach(ManagedChannel::shutdownNow);
    }
}
