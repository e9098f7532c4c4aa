package io.kjadm.store;

import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** Ends answers that are longer than any page or error of a bucket; objects are read elsewhere. */
final class AnswerLimit implements ExecutionInterceptor {

    /** A page has at most a thousand keys of a kibibyte each, and each octet takes three signs. */
    static final int LONGEST = 8 << 20;

    @Override
    public Optional<InputStream> modifyHttpResponseContent(
            Context.ModifyHttpResponse context, ExecutionAttributes attributes) {
        boolean object = context.request() instanceof GetObjectRequest
                && context.httpResponse().isSuccessful();
        return object ? context.responseBody() : context.responseBody().map(Limited::new);
    }

    private static final class Limited extends FilterInputStream {

        private int left = LONGEST;

        Limited(InputStream from) {
            super(from);
        }

        @Override
        public int read() throws IOException {
            return counted(super.read(), 1);
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int read = super.read(bytes, offset, length);
            return counted(read, read);
        }

        private int counted(int answer, int bytes) throws IOException {
            if (answer >= 0) {
                left -= bytes;
            }
            if (left < 0) {
                throw new IOException("the answer is longer than %d MiB".formatted(LONGEST >> 20));
            }
            return answer;
        }
    }
}
