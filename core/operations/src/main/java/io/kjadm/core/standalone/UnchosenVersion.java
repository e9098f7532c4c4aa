package io.kjadm.core.standalone;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.check.EtcdFinding;
import io.kjadm.etcd.check.EtcdRule;

import java.util.List;
import java.util.Optional;

/**
 * The release that a machine gets by default, where the members have another minor. etcd would take
 * it, and an upgrade would have begun that nobody asked for: no further machine could join until
 * the members are upgraded, all of them.
 */
final class UnchosenVersion {

    private UnchosenVersion() {}

    static Optional<EtcdFinding> finding(EtcdVersion own, List<EtcdVersion> members) {
        return members.stream()
                .filter(version -> version.major() != own.major() || version.minor() != own.minor())
                .findFirst()
                .map(theirs -> EtcdFinding.error(
                        EtcdRule.VERSION,
                        "the members run etcd %s, and %s was not chosen for this machine: use --version %s, or --version %s to start an upgrade with it"
                                .formatted(theirs, own, theirs, own)));
    }
}
