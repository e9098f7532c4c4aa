package io.kjadm.cli;

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
 */
record ProgramVersion(String version, String kubernetes, String built) {

    /** Reads what the build wrote into the program. */
    static ProgramVersion current() {
        Properties properties = new Properties();
        try (InputStream in = ProgramVersion.class.getResourceAsStream("version.properties")) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new ProgramVersion(
                properties.getProperty("version"),
                KubernetesReleases.KNOWN.newest().newestRelease(),
                time(properties.getProperty("built")));
    }

    /** Maven takes the time of a build as RFC 3339, or as seconds in {@code SOURCE_DATE_EPOCH}. */
    static String time(String built) {
        return built.matches("\\d+")
                ? Instant.ofEpochSecond(Long.parseLong(built)).toString()
                : built;
    }

    /** {@code linux/amd64} and the like. */
    static String platform() {
        String arch = System.getProperty("os.arch");
        return "linux/" + (arch.equals("aarch64") ? "arm64" : arch);
    }
}
