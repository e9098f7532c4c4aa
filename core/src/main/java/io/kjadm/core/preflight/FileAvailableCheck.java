package io.kjadm.core.preflight;

import io.kjadm.core.host.HostFiles;

import java.nio.file.Path;
import java.util.List;

/** A file that we will write is not there yet. */
record FileAvailableCheck(Path path, HostFiles files) implements Check {

    @Override
    public String name() {
        return PathNames.of("FileAvailable", path);
    }

    @Override
    public List<Finding> run() {
        return Finding.errorIf(files.exists(path), path + " already exists");
    }

    @Override
    public boolean isAboutLeftovers() {
        return true;
    }
}
