package io.kjadm.etcd;

import com.google.protobuf.ByteString;

import io.etcd.jetcd.api.CompactionRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.RangeRequest;

import java.net.URI;
import java.time.Duration;

/**
 * The keys of an etcd as a whole, for who compares what two of them hold. Every call is made once,
 * with a deadline, and throws {@link EtcdCallException} for everything but the wanted answer.
 */
public final class EtcdKeys implements AutoCloseable {

    /** As a key and as the end of a range it stands for all keys. */
    private static final ByteString ALL = ByteString.copyFrom(new byte[1]);

    /** For 8 GiB, the largest that etcd recommends, which are counted or marked in memory. */
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final Channels channels;

    private EtcdKeys(Channels channels) {
        this.channels = channels;
    }

    /**
     * Gets ready to ask; the first question connects.
     *
     * @throws EtcdCallException if the certificates or the key cannot be used
     */
    public static EtcdKeys open(EtcdAccess access) {
        return new EtcdKeys(new Channels(access));
    }

    /** How many there were at a revision, as the member behind a client URL has it. */
    public long count(URI clientUrl, long revision) {
        RangeRequest request = RangeRequest.newBuilder()
                .setKey(ALL)
                .setRangeEnd(ALL)
                .setCountOnly(true)
                .setSerializable(true)
                .setRevision(revision)
                .build();
        return channels.call(
                "count of keys",
                RpcKind.READ,
                clientUrl,
                channel -> KVGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(LIMIT)
                        .range(request)
                        .getCount());
    }

    /** Gives up the history before a revision, in the whole cluster. */
    public void compact(URI clientUrl, long revision) {
        channels.call(
                "compaction",
                RpcKind.CHANGE,
                clientUrl,
                channel -> KVGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(LIMIT)
                        .compact(CompactionRequest.newBuilder()
                                .setRevision(revision)
                                .build()));
    }

    /** Frees the connections; throws nothing. */
    @Override
    public void close() {
        channels.close();
    }
}
