package io.kjadm.core.standalone;

import io.kjadm.etcd.EtcdVersion;

import java.net.URI;

/**
 * One of etcd's releases for one kind of machine.
 *
 * @param architecture as Go names it, {@code amd64} for example
 */
record EtcdRelease(EtcdVersion version, String architecture) {

    /** File name of the sums beside the archives. */
    static final String SUMS = "SHA256SUMS";

    /** For this machine. */
    static EtcdRelease here(EtcdVersion version) {
        String machine = System.getProperty("os.arch");
        return new EtcdRelease(version, machine.equals("aarch64") ? "arm64" : machine);
    }

    /** {@code v3.6.8}. */
    String tag() {
        return "v" + version;
    }

    /** {@code etcd-v3.6.8-linux-amd64}, in which its archive has all files. */
    String folder() {
        return "etcd-%s-linux-%s".formatted(tag(), architecture);
    }

    /** {@code etcd-v3.6.8-linux-amd64.tar.gz}. */
    String archive() {
        return folder() + ".tar.gz";
    }

    /** Where a file of it is. */
    URI url(URI releases, String file) {
        String base = releases.toString().replaceAll("/+$", "");
        return URI.create("%s/%s/%s".formatted(base, tag(), file));
    }
}
