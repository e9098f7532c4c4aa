package io.kjadm.core.snapshot;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Passes bytes on; what is behind it is left open when this is closed. */
class OpenOutput extends FilterOutputStream {

    OpenOutput(OutputStream to) {
        super(to);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
        flush();
    }
}
