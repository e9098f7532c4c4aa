package io.kjadm.core.preflight;

import io.kjadm.core.host.HostFiles;
import java.nio.file.Path;
import java.util.List;

/** A directory that we will fill is absent or empty. */
record DirectoryAvailableCheck(Path path, HostFiles files) implements Check {

    @Override
    public String name() {
        return PathNames.of("DirAvailable", path);
    }

    @Override
    public List<Finding> run() {
        if (files.exists(path) && !files.isDirectory(path)) {
            return List.of(Finding.error(path + " is not a directory"));
        }
        return Finding.errorIf(!files.list(path).isEmpty(), path + " is not empty");
    }

    @Override
    public boolean isAboutLeftovers() {
        return true;
    }
}
