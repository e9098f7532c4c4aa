package io.kjadm.core.etcd.commands;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdErrors;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdSurvey;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.StatusAnswer;
import io.kjadm.manifests.EtcdPod;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A connection to the etcd that is looked at or changed; it knows where to look when its endpoints
 * are silent.
 */
public final class EtcdSession implements AutoCloseable {

    private static final int LOOKS = 3;
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);

    private final EtcdClients clients;
    private final ClusterLookup hints;
    private final LocalEtcdState node;
    private final boolean named;
    private EtcdAccess access;
    private EtcdCluster cluster;

    /**
     * Gets ready to ask. Of several endpoints that the operator names it is seen first that they are
     * of one cluster; nothing else is sent.
     *
     * @param node   what this node's files tell: the API server need not run
     * @param target what the operator names instead; endpoints that are named are not replaced by
     *         others
     * @throws HostException if neither tells of an etcd, or there are no credentials for it
     * @throws ClusterException if the endpoints that are named are of several clusters
     */
    public EtcdSession(
            EtcdClients clients, ClusterLookup hints, LocalEtcdState node, EtcdTarget target) {
        this.clients = clients;
        this.hints = hints;
        this.node = node;
        this.named = !target.endpoints().isEmpty();
        connect(clients.to(
                named ? target.endpoints() : onNode(node),
                target.certificatesDir().orElse(node.certificatesDir())));
        if (access.endpoints().size() > 1 && named) {
            requireOneCluster();
        }
    }

    /** Whichever endpoint answers first would be looked at, and changed. */
    private void requireOneCluster() {
        var clusters = new LinkedHashMap<String, List<URI>>();
        List<URI> silent = access.endpoints();
        // the first connections of a process may be too slow for the limit of one call
        for (int look = 1, before = 0;
                look <= LOOKS && !silent.isEmpty() && (look <= 2 || silent.size() < before);
                look++) {
            before = silent.size();
            silent = cluster.statusesAt(silent).entrySet().stream()
                    .filter(asked -> !noted(asked.getKey(), asked.getValue(), clusters))
                    .map(Map.Entry::getKey)
                    .toList();
        }
        if (clusters.size() > 1) {
            cluster.close();
            throw new ClusterException(
                    "the endpoints belong to %d etcd clusters".formatted(clusters.size()),
                    clusters.entrySet().stream()
                            .map(one -> "cluster %s: %s"
                                    .formatted(
                                            one.getKey(),
                                            one.getValue().stream()
                                                    .map(URI::toString)
                                                    .collect(Collectors.joining(", "))))
                            .collect(Collectors.joining("; ")),
                    "name the client URLs of one cluster with --endpoints");
        }
    }

    private static boolean noted(URI url, StatusAnswer answer, Map<String, List<URI>> clusters) {
        answer.status()
                .ifPresent(status -> clusters.computeIfAbsent(
                                status.clusterId(), _ -> new ArrayList<>())
                        .add(url));
        return answer.status().isPresent();
    }

    private static Set<URI> onNode(LocalEtcdState node) {
        if (node.external()) {
            throw new HostException(
                    CommonReason.EXTERNAL_ETCD,
                    "this cluster uses an external etcd",
                    "its members are not managed by this program",
                    "name its client URLs with --endpoints and a directory that has etcd/ca.crt and "
                            + "etcd/healthcheck-client.crt and .key with --cert-dir");
        }
        if (!node.mayBeMember()) {
            throw new HostException(
                    "no etcd member is known on this node",
                    "there is no %s".formatted(KubernetesPaths.standard().manifest(EtcdPod.NAME)),
                    "run this on a control-plane node, or name client URLs with --endpoints");
        }
        return node.clientUrls();
    }

    private void connect(EtcdAccess wanted) {
        cluster = clients.connect(wanted);
        access = wanted;
    }

    /**
     * Looks at the cluster, within some seconds, quorum or not. Members that are too slow for that
     * are asked {@value #LOOKS} times. If this node's files lead to nobody, the API server is asked
     * for other members.
     *
     * @throws ClusterException if nobody answers, with the reason for every endpoint
     */
    public EtcdSurvey.Heard survey() {
        try {
            return switch (look()) {
                case EtcdSurvey.Heard heard -> heard;
                case EtcdSurvey.Silence silence -> elsewhere(silence.reasons());
            };
        } catch (EtcdCallException e) {
            // silent members are part of the answer; what is thrown concerns this program itself
            throw new ClusterException(
                    "etcd could not be asked", e.text(), "run the command again", e);
        }
    }

    private EtcdSurvey look() {
        EtcdSurvey seen = EtcdSurvey.of(cluster, access.endpoints());
        for (int look = 1; look < LOOKS && seen instanceof EtcdSurvey.Silence silence; look++) {
            if (!silence.late()) {
                return silence;
            }
            pause("no member of etcd has answered in time; asking again", BETWEEN_LOOKS);
            seen = EtcdSurvey.of(cluster, access.endpoints());
        }
        return seen;
    }

    private EtcdSurvey.Heard elsewhere(Map<URI, String> reasons) {
        List<URI> more = named ? List.of() : new ArrayList<>(hints.endpoints());
        List<URI> untried =
                more.stream().filter(url -> !reasons.containsKey(url)).toList();
        if (untried.isEmpty()) {
            throw nobody(reasons);
        }
        cluster.close();
        connect(new EtcdAccess(untried, access.caPem(), access.certPem(), access.keyPem()));
        return switch (look()) {
            case EtcdSurvey.Heard heard -> heard;
            case EtcdSurvey.Silence silence -> {
                var all = new LinkedHashMap<>(reasons);
                all.putAll(silence.reasons());
                throw nobody(all);
            }
        };
    }

    private static ClusterException nobody(Map<URI, String> reasons) {
        String what = "no etcd member returned the member list";
        String why = reasons.entrySet().stream()
                .map(tried -> tried.getKey() + ": " + tried.getValue())
                .collect(Collectors.joining("; "));
        return reasons.values().stream().anyMatch(EtcdErrors::isNotPermitted)
                ? new ClusterException(
                        CommonReason.NOT_PERMITTED,
                        what,
                        why,
                        "etcd has authentication enabled: make the common name of kjadm's client certificate a user with the role root (etcdctl user add NAME --no-password; etcdctl user grant-role NAME root)")
                : new ClusterException(
                        what,
                        why,
                        "check that etcd runs (crictl ps --name etcd, or systemctl status etcd), or name members that do with --endpoints");
    }

    /**
     * Lets time pass between two looks.
     *
     * @throws ClusterException if the program is told to stop meanwhile
     */
    public void pause(String reason, Duration duration) {
        clients.observer().pause("etcd", reason, duration);
    }

    /** The present moment. */
    public Instant now() {
        return clients.observer().now();
    }

    /** Who changes the membership now. */
    public MembershipLeaseStatus lock() {
        return hints.lock();
    }

    /** What this node's files tell of its own member. */
    public LocalEtcdState node() {
        return node;
    }

    /** Where etcd was found, and what proves us to it. */
    public EtcdAccess access() {
        return access;
    }

    /** Whether the operator has named it, rather than this node's files. */
    public boolean named() {
        return named;
    }

    /** The cluster that is asked; another one after a {@link #survey} that had to look elsewhere. */
    public EtcdCluster cluster() {
        return cluster;
    }

    /**
     * How it stands now, with whose learners those are.
     *
     * @throws ClusterException if nobody answers
     */
    public EtcdStatus status() {
        EtcdSurvey.Heard heard = survey();
        EtcdHealth health = heard.health();
        MembershipLeaseStatus lock =
                health.learners().isEmpty() ? new MembershipLeaseStatus.Free() : lock();
        return EtcdStatus.of(heard, node.noted(), lock, now());
    }

    /** The member that answers on this machine; empty if none does. */
    public Optional<MemberId> own() {
        return node.ownStatus(cluster).map(MemberStatus::memberId);
    }

    /**
     * Why the next start of etcd on this machine, also by a reboot, would hurt the other members;
     * empty if it would not, or if no member of the cluster is on this machine.
     */
    public Optional<Problem> startProblem(EtcdStatus status) {
        List<Member> members =
                status.members().stream().map(EtcdStatus.Row::member).toList();
        return node.added()
                .startProblem()
                .filter(_ -> members.size() > 1 && members.stream().anyMatch(node::hasPeerUrlOf));
    }

    @Override
    public void close() {
        cluster.close();
    }
}
