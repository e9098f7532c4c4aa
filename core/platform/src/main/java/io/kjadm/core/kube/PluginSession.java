package io.kjadm.core.kube;

import io.kjadm.core.kube.KubeAccess.Credential;

import java.time.Instant;
import java.time.InstantSource;

/** The credentials of a plugin for one client: got when needed, and again once they expire. */
final class PluginSession {

    private final CredentialPlugin plugin;
    private final String request;
    private final InstantSource clock;
    private ExecCredential got;

    PluginSession(
            Credential.Plugin credential,
            KubeAccess access,
            boolean terminal,
            InstantSource clock) {
        this.plugin = new CredentialPlugin(credential.plugin(), terminal);
        this.request = ExecCredential.request(credential, access, plugin.interactive());
        this.clock = clock;
    }

    /** What is valid now. */
    synchronized ExecCredential current() {
        Instant now = clock.instant();
        if (got == null || got.expires().filter(end -> !now.isBefore(end)).isPresent()) {
            got = plugin.run(request);
        }
        return got;
    }

    /** The server does not accept what was got; the next call gets it anew. */
    synchronized void refused() {
        got = null;
    }
}
