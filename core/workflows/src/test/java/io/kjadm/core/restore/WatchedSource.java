package io.kjadm.core.restore;

import io.kjadm.core.host.HostFiles;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiConsumer;

/** A source during whose fetching something happens. */
record WatchedSource(RestoreSource stored, BiConsumer<HostFiles, Path> before)
        implements RestoreSource {

    @Override
    public String name() {
        return stored.name();
    }

    @Override
    public String title() {
        return stored.title();
    }

    @Override
    public List<String> describe() {
        return stored.describe();
    }

    @Override
    public OptionalLong revision() {
        return stored.revision();
    }

    @Override
    public OptionalLong raise() {
        return stored.raise();
    }

    @Override
    public OptionalLong bytes(HostFiles files) {
        return stored.bytes(files);
    }

    @Override
    public Optional<String> clusterId() {
        return stored.clusterId();
    }

    @Override
    public Optional<Listed> listed() {
        return stored.listed();
    }

    @Override
    public String command() {
        return stored.command();
    }

    @Override
    public void fetch(HostFiles files, Path file) {
        before.accept(files, file);
        stored.fetch(files, file);
    }
}
