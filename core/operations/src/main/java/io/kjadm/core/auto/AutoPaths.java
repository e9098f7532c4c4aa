package io.kjadm.core.auto;

import java.nio.file.Path;

/** Where the automatic mode has its files. */
public final class AutoPaths {

    /** The token of the cluster, for root alone. */
    public static final Path TOKEN = Path.of("/etc/kjadm/etcd-auto.token");

    /** A bucket's credentials, as the environment of the service; for root alone. */
    public static final Path CREDENTIALS = Path.of("/etc/kjadm/etcd-auto.env");

    /** What a machine remembers. */
    public static final Path STATE = Path.of("/var/lib/kjadm/etcd-auto");

    /** Who this machine is; there once the daemon was started. */
    public static final Path IDENTITY = STATE.resolve("identity.json");

    /** Held by the daemon: a machine has one. */
    public static final Path LOCK = Path.of("/run/kjadm-etcd-auto.lock");

    /** The store that the daemon of this machine uses, as it was typed. */
    public static final Path STORE = STATE.resolve("store");

    /** Names the token file that the daemon of this machine uses. */
    public static final Path TOKEN_FILE = STATE.resolve("token-file");

    /** Reads the snapshots that machines save by themselves; for root alone. */
    public static final Path BACKUP = STATE.resolve("backup.identity");

    private AutoPaths() {}
}
