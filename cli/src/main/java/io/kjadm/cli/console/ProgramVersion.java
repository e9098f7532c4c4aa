package io.kjadm.cli.console;

import io.kjadm.manifests.KubernetesReleases;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Properties;

/**
 * What this build is.
 *
 * @param version    of kjadm
 * @param kubernetes the Kubernetes release whose kubeadm it stands beside: the newest it serves
 * @param built      time of the build, RFC 3339
 * @param commit     of the sources, 40 hexadecimal digits; zeros where the build did not know it
 * @param treeState  {@code clean}, {@code dirty}, or {@code archive} where the commit is not known
 */
public record ProgramVersion(
        String version, String kubernetes, String built, String commit, String treeState) {

    private static final String UNKNOWN_COMMIT = "0".repeat(40);

    /** Reads what the build wrote into the program. */
    public static ProgramVersion current() {
        Properties version = properties("/io/kjadm/cli/version.properties");
        Properties commit = properties("/io/kjadm/cli/commit.properties");
        return new ProgramVersion(
                version.getProperty("version"),
                KubernetesReleases.KNOWN.newest().newestRelease(),
                time(version.getProperty("built")),
                commit.getProperty("commit", UNKNOWN_COMMIT),
                commit.getProperty("tree", "archive"));
    }

    /** Nothing if the build did not write that file. */
    private static Properties properties(String name) {
        Properties properties = new Properties();
        try (InputStream in = ProgramVersion.class.getResourceAsStream(name)) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties;
    }

    /** Maven takes the time of a build as RFC 3339, or as seconds in {@code SOURCE_DATE_EPOCH}. */
    static String time(String built) {
        return built.matches("\\d+")
                ? Instant.ofEpochSecond(Long.parseLong(built)).toString()
                : built;
    }

    /** {@code linux/amd64} and the like. */
    public static String platform() {
        String arch = System.getProperty("os.arch");
        return "linux/" + (arch.equals("aarch64") ? "arm64" : arch);
    }
}
