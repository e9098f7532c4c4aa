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
 * Puts files of a bundle on a disk again, where {@link PkiPlaces} allows them. Nothing that is
 * there is replaced; what is there already with the same content stays, so it may be repeated.
 */
public final class PkiExtraction {

    private final HostFiles files;
    private final PkiPlaces places;
    private final Reporter out;

    public PkiExtraction(HostFiles files, PkiPlaces places, Reporter out) {
        this.files = files;
        this.places = places;
        this.out = out;
    }

    /**
     * Writes them.
     *
     * @param root folder that stands for the root of the machine that they are of
     * @throws HostException if one is no file of a bundle, is there with another content, or lies
     *     behind a symbolic link below the root; nothing is written then
     */
    public void into(Path root, List<PkiFile> bundle) {
        List<PkiFile> checked = places.checked(bundle);
        List<Path> different = checked.stream()
                .filter(file -> there(root, file)
                        .filter(bytes -> !Arrays.equals(bytes, file.content()))
                        .isPresent())
                .map(file -> root.resolve(file.path()))
                .toList();
        if (!different.isEmpty()) {
            throw new HostException(
                    "nothing was written: other files are there already",
                    different.stream().map(Path::toString).collect(Collectors.joining(", ")),
                    "name another directory, or move them away");
        }
        for (PkiFile file : checked) {
            Path path = root.resolve(file.path());
            if (there(root, file).isPresent()) {
                out.step("pki", "%s is there already".formatted(path));
            } else {
                files.createBelow(root, file.path(), file.content(), file.mode());
                out.step("pki", "Wrote " + path);
            }
        }
    }

    private Optional<byte[]> there(Path root, PkiFile file) {
        return files.readBelow(root, file.path());
    }
}
