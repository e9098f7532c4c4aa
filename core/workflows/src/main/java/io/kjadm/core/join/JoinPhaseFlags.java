package io.kjadm.core.join;

import io.kjadm.core.flag.Flag;

import java.util.stream.Stream;

/** The flags of single join phases. */
final class JoinPhaseFlags {

    private static final Flag[] DISCOVERY = {
        Flag.DISCOVERY_FILE, Flag.DISCOVERY_TOKEN, Flag.DISCOVERY_TOKEN_CA_CERT_HASH,
        Flag.DISCOVERY_TOKEN_UNSAFE_SKIP_CA_VERIFICATION, Flag.TLS_BOOTSTRAP_TOKEN, Flag.TOKEN
    };
    private static final Flag[] BASE = {Flag.CONFIG, Flag.DRY_RUN};
    private static final Flag[] CONTROL_PLANE = union(BASE, Flag.CONTROL_PLANE);

    static final Flag[] PREFLIGHT = union(
            union(CONTROL_PLANE, DISCOVERY),
            Flag.IGNORE_PREFLIGHT_ERRORS,
            Flag.APISERVER_ADVERTISE_ADDRESS,
            Flag.APISERVER_BIND_PORT,
            Flag.CRI_SOCKET,
            Flag.NODE_NAME,
            Flag.CERTIFICATE_KEY);
    static final Flag[] DOWNLOAD_CERTS =
            union(union(CONTROL_PLANE, DISCOVERY), Flag.CERTIFICATE_KEY);
    static final Flag[] CERTS = union(
            union(CONTROL_PLANE, DISCOVERY), Flag.APISERVER_ADVERTISE_ADDRESS, Flag.NODE_NAME);
    static final Flag[] KUBECONFIG = DOWNLOAD_CERTS;
    static final Flag[] MANIFESTS = union(
            CONTROL_PLANE,
            Flag.APISERVER_ADVERTISE_ADDRESS,
            Flag.APISERVER_BIND_PORT,
            Flag.PATCHES);
    static final Flag[] PREPARE_ALL = union(
            union(CONTROL_PLANE, DISCOVERY),
            Flag.APISERVER_ADVERTISE_ADDRESS,
            Flag.APISERVER_BIND_PORT,
            Flag.NODE_NAME,
            Flag.CERTIFICATE_KEY,
            Flag.PATCHES);
    static final Flag[] KUBELET_START =
            union(union(BASE, DISCOVERY), Flag.CRI_SOCKET, Flag.NODE_NAME, Flag.PATCHES);
    /**
     * What a join may do to etcd's members, and how long it may take; kubeadm has none of these.
     */
    static final Flag[] MEMBERSHIP = {
        Flag.ALLOW_DEGRADED,
        Flag.ALLOW_MIXED,
        Flag.JOIN_STALL_TIMEOUT,
        Flag.JOIN_TIMEOUT,
        Flag.JOIN_WAIT,
        Flag.KEEP_LEARNER,
        Flag.REPLACE_LOST_VOTER,
        Flag.TAKEOVER,
        Flag.WIPE_ETCD_DATA
    };

    static final Flag[] ETCD_JOIN = union(
            union(CONTROL_PLANE, MEMBERSHIP),
            Flag.NODE_NAME,
            Flag.PATCHES,
            Flag.APISERVER_ADVERTISE_ADDRESS);
    static final Flag[] WAIT_BOOTSTRAP = union(BASE, Flag.CRI_SOCKET);
    static final Flag[] MARK = union(CONTROL_PLANE, Flag.NODE_NAME);
    static final Flag[] CONTROL_PLANE_JOIN =
            union(MARK, Flag.PATCHES, Flag.APISERVER_ADVERTISE_ADDRESS);
    static final Flag[] NONE = {};

    private JoinPhaseFlags() {}

    private static Flag[] union(Flag[] flags, Flag... more) {
        return Stream.concat(Stream.of(flags), Stream.of(more)).distinct().toArray(Flag[]::new);
    }
}
