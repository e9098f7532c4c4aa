package io.kjadm.core.etcd.host;

import io.kjadm.etcd.EtcdVersion;

import java.util.Objects;

/**
 * What this machine remembers of its member.
 *
 * @param settings as they were asked for
 * @param founder  whether it was to found a cluster
 * @param finished whether it serves; until then the same command goes on
 * @param token    of the initial cluster, if it founds one
 */
public record MemberRecord(
        MemberSettings settings, boolean founder, boolean finished, String token) {

    public MemberRecord {
        Objects.requireNonNull(settings, "settings");
        Objects.requireNonNull(token, "token");
    }

    /** The same member with another version. */
    public MemberRecord of(EtcdVersion version) {
        return new MemberRecord(
                new MemberSettings(
                        settings.name(),
                        version,
                        settings.address(),
                        settings.directories(),
                        settings.serverCertSans(),
                        settings.unitSettings()),
                founder,
                finished,
                token);
    }

    public MemberRecord asFinished() {
        return new MemberRecord(settings, founder, true, token);
    }
}
