package io.kjadm.core.restore;

import io.kjadm.core.host.HostFiles;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Something to restore that is never fetched. */
record NamedSource(Optional<String> clusterId, Optional<Listed> listed) implements RestoreSource {

    static final NamedSource OF_NO_CLUSTER = new NamedSource(Optional.empty(), Optional.empty());

    static NamedSource of(String clusterId) {
        return new NamedSource(Optional.of(clusterId), Optional.empty());
    }

    @Override
    public String name() {
        return "s";
    }

    @Override
    public String title() {
        return "snapshot s";
    }

    @Override
    public List<String> describe() {
        return List.of();
    }

    @Override
    public OptionalLong revision() {
        return OptionalLong.empty();
    }

    @Override
    public String command() {
        return "kjadm etcd snapshot restore s";
    }

    @Override
    public void fetch(HostFiles files, Path file) {
        throw new IllegalStateException("nothing is fetched");
    }
}
