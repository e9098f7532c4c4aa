package io.kjadm.core.config;

import io.kjadm.core.error.Causes;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.manifests.KubernetesReleases;

import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes a version of what an operator may write for one: a version, or a label of a release. */
public final class VersionResolver {

    private static final String RELEASES = "https://dl.k8s.io/release/";
    private static final String CI_BUILDS = "https://storage.googleapis.com/k8s-release-dev/ci/";
    private static final Pattern LABEL = Pattern.compile(
            "(?:(ci|release)/)?((?:stable|latest)(?:-[1-9](?:\\.([1-9][0-9]?))?)?)");

    private final Fetcher fetcher;
    private final Consumer<String> warnings;

    /** Reads the text behind a URL. */
    @FunctionalInterface
    public interface Fetcher {
        String fetch(URI url) throws IOException;
    }

    public VersionResolver(Fetcher fetcher, Consumer<String> warnings) {
        this.fetcher = fetcher;
        this.warnings = warnings;
    }

    /**
     * The cluster with its version resolved; only labels are looked up. Without an answer this
     * program's own version is taken, or of a label with an older minor the newest release of that
     * which is known. If the newest is beyond this program's own minor, that is taken.
     *
     * @throws UsageException if it is neither version nor label, or older than every version that is
     *     known
     */
    public ClusterConfiguration resolve(ClusterConfiguration cluster) {
        String text = cluster.kubernetesVersion();
        boolean ci = text.startsWith("ci/");
        Optional<KubernetesVersion> exact =
                KubernetesVersion.parse(text.replaceFirst("^(ci|release)/", ""));
        if (exact.isPresent()) {
            return cluster.withKubernetesVersion(known(exact.get()).text(), ci);
        }
        Matcher label = LABEL.matcher(text);
        if (!label.matches()) {
            throw new UsageException(
                    "kubernetesVersion \"%s\" cannot be used".formatted(text),
                    "it is neither a version nor a label",
                    "write a version such as %s or a label such as stable-1"
                            .formatted(KubernetesVersion.CURRENT));
        }
        KubernetesVersion found = lookUp(ci ? CI_BUILDS : RELEASES, label);
        return cluster.withKubernetesVersion(known(found).text(), ci);
    }

    /**
     * The version behind a label of a release, however new it is; empty if there is no answer,
     * which is a warning.
     *
     * @param label such as {@code stable-1.36}
     */
    public Optional<KubernetesVersion> newest(String label) {
        return fetched(RELEASES, label);
    }

    private KubernetesVersion lookUp(String base, Matcher matched) {
        KubernetesVersion own = KubernetesVersion.CURRENT;
        String label = matched.group(2);
        Optional<KubernetesVersion> found = fetched(base, label);
        if (found.isPresent() && !own.minorAtLeast(found.get())) {
            warnings.accept(
                    "%s is %s, which is newer than this program supports; using stable-%d.%d"
                            .formatted(label, found.get(), own.major(), own.minor()));
            found = fetched(RELEASES, "stable-%d.%d".formatted(own.major(), own.minor()));
        }
        return found.or(() -> ofOlderMinor(matched.group(3))).orElseGet(() -> {
            warnings.accept("using %s, this program's own version of Kubernetes".formatted(own));
            return own;
        });
    }

    /** @param minor the label's, or null */
    private Optional<KubernetesVersion> ofOlderMinor(String minor) {
        if (minor == null || Integer.parseInt(minor) >= KubernetesVersion.CURRENT.minor()) {
            return Optional.empty();
        }
        // the first release of a minor that is too old to be known is refused with its number
        String release = KubernetesReleases.KNOWN
                .series(Integer.parseInt(minor))
                .map(KubernetesReleases.Series::newestRelease)
                .orElse("v1.%s.0".formatted(minor));
        KubernetesVersion version = known(KubernetesVersion.of(release));
        warnings.accept(
                "using %s, the newest 1.%s that this program knows".formatted(version, minor));
        return Optional.of(version);
    }

    private Optional<KubernetesVersion> fetched(String base, String label) {
        URI url = URI.create(base + label + ".txt");
        try {
            String text = fetcher.fetch(url).strip();
            Optional<KubernetesVersion> version = KubernetesVersion.parse(text);
            if (version.isEmpty()) {
                warnings.accept("the answer of %s is not a version".formatted(url));
            }
            return version;
        } catch (IOException e) {
            warnings.accept("the version behind %s could not be read from %s: %s"
                    .formatted(label, url, Causes.words(e)));
            return Optional.empty();
        }
    }

    /**
     * Refuses to deploy a control plane of that version if it is too old. Clusters that have such a
     * version are read and maintained all the same.
     *
     * @throws UsageException naming the oldest version that is deployed
     */
    public static void requireDeployable(KubernetesVersion version) {
        requireAtLeast(KubernetesVersion.OLDEST_CONTROL_PLANE, version);
    }

    private static KubernetesVersion known(KubernetesVersion version) {
        requireAtLeast(KubernetesVersion.OLDEST_KNOWN, version);
        return version;
    }

    private static void requireAtLeast(KubernetesVersion oldest, KubernetesVersion version) {
        if (version.compareTo(oldest) < 0) {
            throw new UsageException(
                    "kubernetesVersion %s cannot be used".formatted(version),
                    "the oldest control plane that can be deployed is %s; clusters are maintained from %s on"
                            .formatted(
                                    KubernetesVersion.OLDEST_CONTROL_PLANE,
                                    KubernetesVersion.OLDEST_KNOWN),
                    "choose a newer version, or use a kjadm for %s".formatted(version.minorText()));
        }
    }
}
