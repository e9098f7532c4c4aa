package io.kjadm.core.standalone;

import io.kjadm.core.flag.Flag;

import java.util.stream.Stream;

/** The flags of the single phases of {@code etcd init} and {@code etcd join}. */
final class EtcdPhaseFlags {

    static final Flag[] MEMBER = {
        Flag.BIND_ADDRESS, Flag.CERTS_DIR, Flag.DATA_DIR, Flag.DRY_RUN, Flag.INSTALL_DIR, Flag.NAME
    };

    static final Flag[] PREFLIGHT = with(Flag.IGNORE_PREFLIGHT_ERRORS);

    static final Flag[] JOIN_PREFLIGHT = with(Flag.EXISTING_DATA, Flag.IGNORE_PREFLIGHT_ERRORS);

    static final Flag[] DOWNLOAD = with(
            Flag.ALLOW_INSECURE_RELEASE_SERVER, Flag.ETCD_TARBALL, Flag.RELEASE_URL, Flag.VERSION);

    static final Flag[] SNAPSHOT = with(
            Flag.BUMP_REVISION,
            Flag.CLUSTER_ID,
            Flag.FROM_SNAPSHOT,
            Flag.IDENTITY_FILE,
            Flag.SKIP_HASH_CHECK,
            Flag.SNAPSHOT,
            Flag.STORE,
            Flag.VERIFY_KEY);

    static final Flag[] CERTS =
            with(Flag.BUNDLE, Flag.CERTIFICATE_KEY_FILE, Flag.SERVER_CERT_EXTRA_SANS);

    static final Flag[] CONFIGURE = with(Flag.DISK_PRIORITIES, Flag.VERSION);

    static final Flag[] MEMBERSHIP = with(Flag.DISK_PRIORITIES, Flag.EXISTING_DATA, Flag.VERSION);

    private EtcdPhaseFlags() {}

    private static Flag[] with(Flag... more) {
        return Stream.concat(Stream.of(MEMBER), Stream.of(more)).toArray(Flag[]::new);
    }
}
