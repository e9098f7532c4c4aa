package io.kjadm.core.preflight;

import io.kjadm.core.host.HostFiles;

import java.nio.file.Path;
import java.util.List;

/** A kernel setting is on: its file begins with {@code 1}. */
record FileContentCheck(Path path, HostFiles files) implements Check {

    private static final String WANTED = "1";

    @Override
    public String name() {
        return PathNames.of("FileContent", path);
    }

    @Override
    public List<Finding> run() {
        return files.read(path)
                .map(text -> Finding.errorIf(
                        !text.startsWith(WANTED),
                        "%s contents are not set to %s".formatted(path, WANTED)))
                .orElseGet(() -> List.of(Finding.error(path + " does not exist")));
    }
}
