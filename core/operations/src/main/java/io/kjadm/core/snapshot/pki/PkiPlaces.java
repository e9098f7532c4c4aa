package io.kjadm.core.snapshot.pki;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.manifests.ManifestException;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.pki.CertificateFiles;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The files that a bundle of keys may write: those that {@link PkiFiles} gathers, with their modes.
 * A bundle comes out of a store, so a path or a mode in it is not a reason to write anything: with
 * another path a file could be a static pod, a job of cron or a key of SSH.
 */
public final class PkiPlaces {

    /** Where the cluster's configuration is put, for {@code kjadm init --config}. */
    static final Path CONFIGURATION = Path.of("etc/kubernetes/kubeadm-config.yaml");

    private static final String ENCRYPTION_KIND = "EncryptionConfiguration";
    /** Directories that the kubelet, this program or kubeadm read programs or pods from. */
    private static final Set<String> NOT_CONFIGURATION = Set.of("manifests", "patches", "tmp");

    private final KubernetesPaths paths;
    private final Set<Path> named = new HashSet<>();

    /**
     * @param named further places that the operator named, with or without the root before them
     */
    public PkiPlaces(KubernetesPaths paths, Collection<Path> named) {
        this.paths = paths;
        named.forEach(path -> this.named.add(rootless(path)));
    }

    /** The CAs and the service accounts' keys, with the modes that they have. */
    static Map<String, FileMode> certificates() {
        Map<String, FileMode> files = new LinkedHashMap<>();
        for (CertificateSpec ca : CertificateSet.cas()) {
            files.put(ca.certificateFile(), FileMode.WORLD_READABLE);
            files.put(ca.keyFile(), FileMode.OWNER_ONLY);
        }
        files.put(CertificateFiles.SERVICE_ACCOUNT_PUBLIC_KEY, FileMode.WORLD_READABLE);
        files.put(CertificateFiles.SERVICE_ACCOUNT_PRIVATE_KEY, FileMode.OWNER_ONLY);
        return files;
    }

    /**
     * The files of a bundle with the modes that they may have.
     *
     * @throws HostException if one of them is no file of a bundle, or a file is in it twice
     */
    public List<PkiFile> checked(List<PkiFile> bundle) {
        Map<Path, FileMode> modes = new LinkedHashMap<>();
        certificates().forEach((name, mode) -> modes.put(rootless(paths.certificate(name)), mode));
        modes.put(CONFIGURATION, FileMode.OWNER_ONLY);
        List<PkiFile> checked = new ArrayList<>();
        List<Path> refused = new ArrayList<>();
        for (PkiFile file : bundle) {
            Optional<FileMode> mode = Optional.ofNullable(modes.remove(file.path()))
                    .or(() -> Optional.of(FileMode.OWNER_ONLY)
                            .filter(_ -> named.remove(file.path())));
            boolean encryption = mode.isEmpty() && isEncryption(file) && !hasEncryption(checked);
            if (mode.isPresent() || encryption) {
                checked.add(
                        new PkiFile(file.path(), mode.orElse(FileMode.OWNER_ONLY), file.content()));
            } else {
                refused.add(file.path());
            }
        }
        if (!refused.isEmpty()) {
            throw new HostException(
                    "nothing was written: the bundle has unexpected files",
                    refused.stream().map(path -> "/" + path).collect(Collectors.joining(", ")),
                    "do not use this snapshot before it is clear who wrote it; if the API server's encryption configuration or the certificates lay there, name the directory with --cert-dir or the file with --allow-path");
        }
        return checked;
    }

    private boolean hasEncryption(List<PkiFile> checked) {
        return checked.stream().anyMatch(this::isEncryption);
    }

    /** A file below {@code /etc/kubernetes} of that kind, where nothing else takes it up. */
    private boolean isEncryption(PkiFile file) {
        Path directory = rootless(paths.kubernetesDir());
        if (!file.path().startsWith(directory)
                || file.path().equals(CONFIGURATION)
                || file.path().toString().endsWith(".conf")) {
            return false;
        }
        String first = directory.relativize(file.path()).getName(0).toString();
        return !NOT_CONFIGURATION.contains(first) && ENCRYPTION_KIND.equals(kind(file));
    }

    private static Object kind(PkiFile file) {
        try {
            return ManifestYaml.readObject(new String(file.content(), StandardCharsets.UTF_8))
                    .get("kind");
        } catch (ManifestException e) {
            return "";
        }
    }

    /** A path of the machine as a bundle has it. */
    static Path rootless(Path path) {
        return Path.of("/").relativize(Path.of("/").resolve(path).normalize());
    }
}
