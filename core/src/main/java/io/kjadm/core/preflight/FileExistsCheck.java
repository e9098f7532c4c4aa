package io.kjadm.core.preflight;

import io.kjadm.core.host.HostFiles;

import java.nio.file.Path;
import java.util.List;

/** A file that the operator has to provide is there. */
record FileExistsCheck(String name, Path path, HostFiles files) implements Check {

    @Override
    public List<Finding> run() {
        return Finding.errorIf(!files.exists(path), path + " does not exist");
    }
}
