package io.kjadm.core.kube;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** Ends answers that are longer than anything this program asks for. */
final class AnswerLimit implements Interceptor {

    /** An object has 1.5 MiB at most, and the lists that are asked for are short. */
    static final long LONGEST = 32L << 20;

    @Override
    public AsyncBody.Consumer<List<ByteBuffer>> consumer(
            AsyncBody.Consumer<List<ByteBuffer>> consumer, HttpRequest request) {
        return new AsyncBody.Consumer<>() {
            private long seen;

            @Override
            public void consume(List<ByteBuffer> part, AsyncBody body) throws Exception {
                seen += part.stream().mapToLong(ByteBuffer::remaining).sum();
                if (seen > LONGEST) {
                    throw new IOException(
                            "the answer is longer than %d MiB".formatted(LONGEST >> 20));
                }
                consumer.consume(part, body);
            }

            @Override
            public <U> U unwrap(Class<U> target) {
                return consumer.unwrap(target);
            }
        };
    }
}
