package io.kjadm.core.snapshot.foreign;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.EtcdVersion;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * A snapshot that another tool has left on the disk.
 *
 * @param taken   as the tool tells, or else when the file was last written
 * @param etcd    version that it was taken of, if the tool tells
 * @param remarks what the operator has to know of it, a sentence each
 */
public record ForeignSnapshot(
        ForeignFormat format,
        Path file,
        Instant taken,
        Optional<EtcdVersion> etcd,
        List<String> remarks) {

    private static final int MAGIC_BYTES = 4;

    public ForeignSnapshot {
        taken = taken.truncatedTo(ChronoUnit.SECONDS);
        remarks = List.copyOf(remarks);
    }

    /**
     * Its bytes, unpacked as they are read.
     *
     * @throws IOException if it is not packed as it begins
     */
    public InputStream open(HostFiles files) throws IOException {
        byte[] start = files.readStart(file, MAGIC_BYTES)
                .orElseThrow(() ->
                        new HostException("there is no " + file, "", "name a file that is there"));
        InputStream bytes = files.open(file);
        try {
            return Packing.of(start).unpack(bytes);
        } catch (IOException e) {
            bytes.close();
            throw e;
        }
    }

    /** What it would be, in a few words. */
    public String describe() {
        return "%s (%s, of %s)".formatted(file, format.word(), taken);
    }
}
