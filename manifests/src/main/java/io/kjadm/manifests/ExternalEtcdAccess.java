package io.kjadm.manifests;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** An etcd somebody else runs: its client URLs as given, and the files to reach it with. */
public record ExternalEtcdAccess(
        List<String> endpoints,
        Optional<Path> caFile,
        Optional<Path> certFile,
        Optional<Path> keyFile)
        implements ApiServerEtcd {

    public ExternalEtcdAccess {
        endpoints = List.copyOf(endpoints);
        Objects.requireNonNull(caFile, "caFile");
        Objects.requireNonNull(certFile, "certFile");
        Objects.requireNonNull(keyFile, "keyFile");
    }

    List<Path> files() {
        return Stream.of(caFile, certFile, keyFile).flatMap(Optional::stream).toList();
    }
}
