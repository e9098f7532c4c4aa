package io.kjadm.core.standalone;

import io.kjadm.core.check.Check;
import io.kjadm.core.check.Finding;
import io.kjadm.core.check.Preflight;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.etcd.DataInUse;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.restore.DatabaseReader;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.etcd.check.EtcdRule;
import io.kjadm.etcd.check.WalIdentity;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The member whose data are on this machine, and whose other files were lost, as where the root disk
 * was replaced and the data have a disk of their own. It is set up again and no member is added.
 */
record ExistingMember(HostFiles files, MemberSettings settings) {

    private static final String AREA = "check-etcd";
    private static final String NAME = "ExistingData";

    /** Whether a data directory holds the data of a member that does not run. */
    static Check check(Path dataDir, HostFiles files) {
        return Check.required(NAME, () -> switch (new DataDirReader(files).read(dataDir)) {
            case DataDirectory.Empty() ->
                List.of(Finding.error(
                        "%s holds no data of a member; without --existing-data this machine joins as a new one"
                                .formatted(dataDir)));
            case DataDirectory.Unreadable(String at, String why) ->
                List.of(Finding.error("%s cannot be used: %s".formatted(at, why)));
            case DataDirectory.Held _ ->
                new DataInUse(files)
                        .by(dataDir)
                        .map(Finding::error)
                        .map(List::of)
                        .orElseGet(Finding::none);
        });
    }

    /**
     * Whose data they are.
     *
     * @throws HostException if that cannot be read
     */
    MemberIds ids() {
        return identity().ids();
    }

    private WalIdentity identity() {
        if (new DataDirReader(files).read(dataDir()) instanceof DataDirectory.Held held) {
            return held.identity();
        }
        throw new HostException(
                "%s holds no data of a member".formatted(dataDir()),
                "--existing-data sets up etcd for them",
                "mount the disk with the data, or leave the flag out to join as a new member");
    }

    private Path dataDir() {
        return settings.directories().data();
    }

    /**
     * Refuses data of a member that the cluster does not have at this machine's address, and a version
     * that would begin an upgrade.
     *
     * @param answered what the members told; empty if none responds, as when a quorum needs this one
     * @param resumes  whether an earlier run may have started it
     * @throws io.kjadm.core.error.PreflightException if it is refused
     */
    void require(
            Optional<EtcdHealth> answered, boolean resumes, EtcdRunOptions options, Reporter out) {
        WalIdentity identity = identity();
        MemberIds ids = identity.ids();
        List<EtcdVersion> versions = answered.map(EtcdHealth::versions)
                .filter(told -> !told.isEmpty())
                .orElseGet(() -> identity.clusterVersion().stream().toList());
        List<Finding> unchosen = resumes || options.versionChosen()
                ? List.of()
                : UnchosenVersion.finding(settings.version(), versions)
                        .map(finding -> List.of(Finding.error(finding.text())))
                        .orElseGet(List::of);
        List<Finding> member =
                answered.map(health -> findings(health, ids, resumes)).orElseGet(() -> noted(ids));
        new Preflight(options.ignorePreflightErrors(), out)
                .run(List.of(
                        Check.of(EtcdRule.VERSION.checkName(), () -> unchosen),
                        Check.required(EtcdRule.VERSION.checkName(), () -> distance(versions)),
                        Check.required("ExistingMember", () -> member)));
        if (answered.isEmpty()) {
            out.warn(
                    "no member responds: whether the cluster still has member %s is not known; etcd is started with its data"
                            .formatted(ids.memberId()));
        } else {
            out.step(
                    AREA,
                    "The cluster has member %s at %s"
                            .formatted(ids.memberId(), settings.peerUrl()));
        }
    }

    /** etcd reads the data of the minor version before its own, and of no later one. */
    private List<Finding> distance(List<EtcdVersion> versions) {
        EtcdVersion own = settings.version();
        return versions.stream()
                .filter(other -> other.major() != own.major()
                        || own.minor() < other.minor()
                        || own.minor() > other.minor() + 1)
                .findFirst()
                .map(other -> List.of(Finding.error(
                        "etcd %s cannot run beside %s, or with its data: use --version %s"
                                .formatted(own, other, other))))
                .orElseGet(List::of);
    }

    private List<Finding> findings(EtcdHealth health, MemberIds ids, boolean resumes) {
        if (!health.clusterIds().isEmpty() && !health.clusterIds().contains(ids.clusterId())) {
            return List.of(
                    Finding.error("%s holds data of cluster %s, and the members are of cluster %s"
                            .formatted(
                                    dataDir(),
                                    ids.clusterId(),
                                    String.join(", ", health.clusterIds()))));
        }
        Optional<Member> listed = health.find(ids.memberId());
        if (listed.isEmpty()) {
            return List.of(Finding.error(
                    "the cluster has no member %s any more: move %s away, and join without --existing-data"
                            .formatted(ids.memberId(), dataDir())));
        }
        Member member = listed.get();
        return member.peerUrls().contains(settings.peerUrl())
                ? Finding.errorIf(
                        !resumes && health.status(member.id()).isPresent(),
                        "member %s responds: it runs with other data, or on another machine"
                                .formatted(member.describe()))
                : List.of(elsewhere(member));
    }

    private Finding elsewhere(Member member) {
        return Finding.error(
                "the cluster has member %s, and this machine would be at %s: choose the address with --bind-address"
                        .formatted(member.describe(), settings.peerUrl()));
    }

    /** By the list in the member's own database, which may be older. */
    private List<Finding> noted(MemberIds ids) {
        Path member = dataDir().resolve(KubernetesPaths.ETCD_MEMBER);
        return DatabaseReader.membersIn(files, member).stream()
                .filter(it -> it.id().equals(ids.memberId())
                        && !it.peerUrls().contains(settings.peerUrl()))
                .map(this::elsewhere)
                .toList();
    }
}
