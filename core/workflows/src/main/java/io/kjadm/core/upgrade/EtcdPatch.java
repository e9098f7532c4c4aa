package io.kjadm.core.upgrade;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.Images;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.etcd.version.EtcdMemberExchange;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.upgrade.PatchFirst;
import io.kjadm.manifests.KubernetesReleases;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The patch release that members of a stacked etcd get before the first one gets the minor that
 * goes with another version of Kubernetes. kubeadm goes from 3.6.8 to 3.7.0 in one step, against
 * etcd's rules ({@code https://github.com/kubernetes/kubeadm/issues/3247}).
 *
 * @param tag     of its image, such as {@code 3.6.11-0}
 * @param target  the version that comes after it
 * @param members that are older, the leader last
 * @param begun   whether another member has the target's minor already, so that the others are not
 *                waited for
 */
public record EtcdPatch(String tag, EtcdVersion target, List<Member> members, boolean begun) {

    public EtcdPatch {
        members = List.copyOf(members);
    }

    /**
     * What is needed before an upgrade.
     *
     * @param next    the cluster's configuration with the version to come
     * @param skipped whether what etcd only advises is skipped
     * @return empty if every member is new enough, or no patch release leads to the target: the gate
     *     of etcd's version stops the upgrade then. A tag that the operator has set is kept
     */
    public static Optional<EtcdPatch> of(
            EtcdHealth health, ClusterConfiguration next, boolean skipped) {
        if (!(next.etcd() instanceof LocalEtcd etcd) || etcd.imageTag().isPresent()) {
            return Optional.empty();
        }
        EtcdVersion target = EtcdMemberExchange.version(Images.of(next).etcd());
        return PatchFirst.of(health, target).stream()
                .filter(needed -> needed.severity().stops(skipped))
                .findFirst()
                .flatMap(needed -> tag(needed.version())
                        .filter(tag ->
                                EtcdMemberExchange.version(tag).compareTo(needed.version()) >= 0)
                        .map(tag -> new EtcdPatch(tag, target, needed.members(), needed.begun())));
    }

    private static Optional<String> tag(EtcdVersion needed) {
        return KubernetesReleases.KNOWN.etcdTagOf(
                "%d.%d".formatted(needed.major(), needed.minor()));
    }

    /** Whether it is the patch release that members of that version would get. */
    static boolean leadsTo(EtcdVersion from, EtcdVersion to) {
        return from.compareTo(to) < 0
                && tag(from).map(EtcdMemberExchange::version).filter(to::equals).isPresent();
    }

    /** What the members get. */
    public EtcdVersion version() {
        return EtcdMemberExchange.version(tag);
    }

    /** The command that gives a member of another node the patch release. */
    public String command() {
        return "kjadm etcd upgrade " + version();
    }

    /** Its image, by the cluster's configuration. */
    public String image(ClusterConfiguration cluster) {
        return cluster.etcd() instanceof LocalEtcd etcd
                ? Images.of(cluster.withEtcd(etcd.withImageTag(Optional.of(tag))))
                        .etcd()
                : "";
    }

    /** What is to be done, such as {@code etcd 3.6.8 → 3.6.11 on n2, n3, n1 (leader last)}. */
    public String summary(EtcdHealth health) {
        return "etcd %s → %s on %s%s"
                .formatted(
                        members.stream()
                                .flatMap(member -> health.status(member.id()).stream())
                                .map(status -> status.version().toString())
                                .distinct()
                                .collect(Collectors.joining(", ")),
                        version(),
                        labels(),
                        health.leader().filter(members::contains).isPresent() && members.size() > 1
                                ? " (leader last)"
                                : "");
    }

    /** The members, by their names. */
    String labels() {
        return members.stream().map(Member::label).collect(Collectors.joining(", "));
    }

    /** Those of other nodes; empty if there are none. */
    Optional<EtcdPatch> without(Predicate<Member> own) {
        List<Member> others = members.stream().filter(Predicate.not(own)).toList();
        return others.isEmpty()
                ? Optional.empty()
                : Optional.of(new EtcdPatch(tag, target, others, begun));
    }
}
