package io.kjadm.core.upgrade.check;

import io.kjadm.core.upgrade.VersionPolicy.PreReleases;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.core.value.Timeouts;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What an upgrade is to do.
 *
 * @param target   the version to upgrade to
 * @param allowed  which pre-releases may be the target
 * @param etcd     whether a stacked etcd is upgraded too
 * @param patches  the operator's directory with patches, if any
 * @param timeouts limits of waits
 */
public record UpgradeGoal(
        KubernetesVersion target,
        PreReleases allowed,
        boolean etcd,
        Optional<Path> patches,
        Timeouts timeouts) {}
