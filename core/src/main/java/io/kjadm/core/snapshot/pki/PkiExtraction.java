package io.kjadm.core.snapshot.pki;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Puts files of a bundle on a disk again. Nothing that is there is replaced; what is there already
 * with the same content stays, so it may be repeated.
 */
public final class PkiExtraction {

    private final HostFiles files;
    private final Reporter out;

    public PkiExtraction(HostFiles files, Reporter out) {
        this.files = files;
        this.out = out;
    }

    /**
     * Writes them.
     *
     * @param root folder that stands for the root of the machine that they are of
     * @throws HostException if one is there with another content; nothing is written then
     */
    public void into(Path root, List<PkiFile> bundle) {
        List<Path> different = bundle.stream()
                .filter(file -> there(root, file)
                        .filter(bytes -> !Arrays.equals(bytes, file.content()))
                        .isPresent())
                .map(file -> root.resolve(file.path()))
                .toList();
        if (!different.isEmpty()) {
            throw new HostException(
                    "nothing was written: other files are there already",
                    different.stream().map(Path::toString).collect(Collectors.joining(", ")),
                    "name another folder, or move them away");
        }
        for (PkiFile file : bundle) {
            Path path = root.resolve(file.path());
            if (there(root, file).isPresent()) {
                out.step("pki", "%s is there already".formatted(path));
            } else {
                files.write(path, file.content(), file.mode());
                out.step("pki", "Wrote " + path);
            }
        }
    }

    private Optional<byte[]> there(Path root, PkiFile file) {
        Path path = root.resolve(file.path());
        return files.exists(path) ? files.readBytes(path) : Optional.empty();
    }
}
