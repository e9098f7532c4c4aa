package io.kjadm.core.token;

import io.kjadm.core.config.BootstrapToken;
import io.kjadm.manifests.BootstrapTokenSecret;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** A configured token as the object that the cluster keeps. */
public final class BootstrapTokens {

    private BootstrapTokens() {}

    /** The Secret's content; a lifetime starts now. */
    public static BootstrapTokenSecret secret(BootstrapToken token, Instant now) {
        return new BootstrapTokenSecret(
                token.id(),
                token.secret(),
                token.description().orElse(""),
                token.endsAt(now).map(end -> end.truncatedTo(ChronoUnit.SECONDS)),
                token.usages().stream().sorted().toList(),
                token.groups());
    }
}
