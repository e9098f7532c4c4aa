package io.kjadm.etcd.compare;

import com.google.protobuf.ByteString;

import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Puts keys and reads them back. Who does not answer is left for the next endpoint, until the time
 * is over.
 */
public final class Client implements AutoCloseable {

    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final int LARGEST_ANSWER = 256 << 20;

    private final List<ManagedChannel> channels;
    private final AtomicInteger turn = new AtomicInteger();

    public Client(List<URI> endpoints) {
        channels = endpoints.stream()
                .map(endpoint -> NettyChannelBuilder.forAddress(
                                endpoint.getHost(), endpoint.getPort())
                        .usePlaintext()
                        .disableRetry()
                        .proxyDetector(address -> null)
                        .maxInboundMessageSize(LARGEST_ANSWER)
                        .build())
                .toList();
    }

    /** Whether the write was acknowledged in time. */
    public boolean put(String key, ByteString value, Duration limit) {
        var request = PutRequest.newBuilder().setKey(bytes(key)).setValue(value).build();
        return ask(limit, kv -> kv.put(request)).isPresent();
    }

    /** Whether a linearizable read is answered in time. */
    boolean answers(Duration limit) {
        var request = RangeRequest.newBuilder().setKey(bytes("nothing")).build();
        return ask(limit, kv -> kv.range(request)).isPresent();
    }

    /** All keys with the prefix, by a linearizable read. */
    Set<String> keys(String prefix, Duration limit) {
        // what sorts after all keys with the prefix: its last character raised by one
        String end = prefix.substring(0, prefix.length() - 1)
                + (char) (prefix.charAt(prefix.length() - 1) + 1);
        var request = RangeRequest.newBuilder()
                .setKey(bytes(prefix))
                .setRangeEnd(bytes(end))
                .setKeysOnly(true)
                .build();
        return ask(limit, kv -> kv.range(request))
                .orElseThrow(() -> new IllegalStateException(
                        "no member answers a linearizable read for " + limit))
                .getKvsList()
                .stream()
                .map(pair -> pair.getKey().toStringUtf8())
                .collect(Collectors.toSet());
    }

    private <T> Optional<T> ask(Duration limit, Function<KVGrpc.KVBlockingStub, T> call) {
        long end = System.nanoTime() + limit.toNanos();
        while (true) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                return Optional.empty();
            }
            ManagedChannel channel =
                    channels.get(Math.floorMod(turn.getAndIncrement(), channels.size()));
            try {
                return Optional.of(call.apply(KVGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(left, TimeUnit.NANOSECONDS)));
            } catch (StatusRuntimeException e) {
                Pauses.sleep(PAUSE);
            }
        }
    }

    private static ByteString bytes(String text) {
        return ByteString.copyFrom(text, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdownNow);
    }
}
