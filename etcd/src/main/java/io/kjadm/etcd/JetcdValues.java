package io.kjadm.etcd;

import com.google.protobuf.ByteString;

import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.KVGrpc.KVBlockingStub;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Values in a real etcd. The endpoints are asked in order until one answers; a change goes on to
 * the next one only if it certainly did not happen.
 */
public final class JetcdValues implements EtcdValues {

    /** The server's own limit of 7 s, and some. */
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final Channels channels;

    private JetcdValues(EtcdAccess access) {
        this.channels = new Channels(access);
    }

    /**
     * Gets ready to ask; the first question connects.
     *
     * @throws EtcdCallException if the certificates or the key cannot be used
     */
    public static EtcdValues open(EtcdAccess access) {
        return new JetcdValues(access);
    }

    @Override
    public Optional<String> read(String key) {
        RangeRequest request = RangeRequest.newBuilder().setKey(bytes(key)).build();
        return call(
                "value of " + key,
                RpcKind.READ,
                stub -> stub.range(request).getKvsList().stream()
                        .map(pair -> pair.getValue().toStringUtf8())
                        .findFirst());
    }

    @Override
    public Map<String, String> readAll(String prefix) {
        RangeRequest request = RangeRequest.newBuilder()
                .setKey(bytes(prefix))
                .setRangeEnd(behind(prefix))
                .build();
        return call("values below " + prefix, RpcKind.READ, stub -> {
            Map<String, String> values = new LinkedHashMap<>();
            stub.range(request)
                    .getKvsList()
                    .forEach(pair -> values.put(
                            pair.getKey().toStringUtf8(), pair.getValue().toStringUtf8()));
            return values;
        });
    }

    @Override
    public boolean create(String key, String value) {
        TxnRequest request = TxnRequest.newBuilder()
                .addCompare(Compare.newBuilder()
                        .setKey(bytes(key))
                        .setTarget(Compare.CompareTarget.CREATE)
                        .setResult(Compare.CompareResult.EQUAL)
                        .setCreateRevision(0))
                .addSuccess(RequestOp.newBuilder().setRequestPut(put(key, value)))
                .build();
        return call(
                "creation of " + key, RpcKind.CHANGE, stub -> stub.txn(request).getSucceeded());
    }

    @Override
    public void write(String key, String value) {
        call("change of " + key, RpcKind.CHANGE, stub -> stub.put(put(key, value)));
    }

    @Override
    public void removeAll(String prefix) {
        call("removal of " + prefix, RpcKind.CHANGE, stub -> stub.deleteRange(all(prefix)));
    }

    @Override
    public boolean writeIf(String guard, String expected, String key, String value) {
        return changeIf(
                guard, expected, key, RequestOp.newBuilder().setRequestPut(put(key, value)));
    }

    @Override
    public boolean removeAllIf(String guard, String expected, String prefix) {
        return changeIf(
                guard, expected, prefix, RequestOp.newBuilder().setRequestDeleteRange(all(prefix)));
    }

    private boolean changeIf(String guard, String expected, String what, RequestOp.Builder change) {
        TxnRequest request = TxnRequest.newBuilder()
                .addCompare(Compare.newBuilder()
                        .setKey(bytes(guard))
                        .setTarget(Compare.CompareTarget.VALUE)
                        .setResult(Compare.CompareResult.EQUAL)
                        .setValue(bytes(expected)))
                .addSuccess(change)
                .build();
        return call(
                "change of " + what, RpcKind.CHANGE, stub -> stub.txn(request).getSucceeded());
    }

    private static DeleteRangeRequest all(String prefix) {
        return DeleteRangeRequest.newBuilder()
                .setKey(bytes(prefix))
                .setRangeEnd(behind(prefix))
                .build();
    }

    private <T> T call(String what, RpcKind kind, Function<KVBlockingStub, T> rpc) {
        return channels.callFirst(
                what,
                kind,
                failure -> kind == RpcKind.READ || failure.errorClass() == ErrorClass.TRANSIENT,
                channel -> rpc.apply(KVGrpc.newBlockingStub(channel).withDeadlineAfter(LIMIT)));
    }

    private static PutRequest put(String key, String value) {
        return PutRequest.newBuilder().setKey(bytes(key)).setValue(bytes(value)).build();
    }

    private static ByteString bytes(String text) {
        return ByteString.copyFromUtf8(text);
    }

    /** The end of the range of all keys that begin with this: no key of ours ends in 0xff. */
    private static ByteString behind(String prefix) {
        byte[] end = bytes(prefix).toByteArray();
        byte[] next = Arrays.copyOf(end, end.length);
        next[end.length - 1]++;
        return ByteString.copyFrom(next);
    }

    @Override
    public void close() {
        channels.close();
    }
}
