package io.kjadm.core.recover;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.recover.NodeEvidence;

import java.nio.file.Path;
import java.util.List;

/** Evidence that was collected on other nodes. */
public final class EvidenceFiles {

    private final HostFiles files;

    public EvidenceFiles(HostFiles files) {
        this.files = files;
    }

    /**
     * Reads it.
     *
     * @throws UsageException if a file is not there, or is something else
     */
    public List<NodeEvidence> read(List<String> paths) {
        return paths.stream().map(this::read).toList();
    }

    private NodeEvidence read(String path) {
        String text = files.read(Path.of(path))
                .orElseThrow(() -> new UsageException(
                        "there is no file " + path,
                        "",
                        "name files that 'kjadm etcd recover --collect' has printed"));
        try {
            return EvidenceJson.parse(text);
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    "%s has no evidence of a node".formatted(path),
                    e.getMessage(),
                    "on that node: kjadm etcd recover --collect > FILE",
                    e);
        }
    }
}
