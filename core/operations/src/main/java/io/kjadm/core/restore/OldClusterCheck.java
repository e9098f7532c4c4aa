package io.kjadm.core.restore;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.RestoreStep;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.StatusAnswer;
import io.kjadm.etcd.recover.ClusterLook;
import io.kjadm.etcd.recover.ClusterLook.Asked;
import io.kjadm.etcd.recover.OldCluster;
import io.kjadm.etcd.recover.OldCluster.Proof;
import io.kjadm.etcd.recover.OldCluster.Sign;
import io.kjadm.etcd.recover.OldClusterDecider;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Looks at the old cluster before this node begins a new one: asks every member that any source
 * names, each time it is called, and refuses unless the old cluster has ended.
 */
public final class OldClusterCheck {

    /** A member forgets a leader that is gone within two election timeouts. */
    private static final Duration LEADER_PATIENCE = Duration.ofSeconds(10);

    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private static final Duration ACCESS_LASTS = Duration.ofMinutes(30);

    private final HostFiles files;
    private final RestoredEtcd etcd;
    private final EtcdClients clients;
    private final Predicate<URI> listens;
    private final Set<String> named;
    private final OldMembers known;
    private final KnownLeader leader;
    private EtcdAccess access;
    private Instant accessUntil = Instant.MIN;

    /**
     * @param listens whether something accepts connections at a peer URL
     * @param named   what the operator gives up: names, IDs or peer URLs, or {@link
     *     ClusterLook#NO_OTHERS}
     */
    public OldClusterCheck(
            HostFiles files,
            RestoredEtcd etcd,
            EtcdClients clients,
            Predicate<URI> listens,
            Collection<String> named,
            Reporter out) {
        this.files = files;
        this.etcd = etcd;
        this.clients = clients;
        this.listens = listens;
        this.named = new LinkedHashSet<>(named);
        this.known = new OldMembers(files, etcd, clients, out);
        this.leader = new KnownLeader(files, etcd);
    }

    /**
     * What was seen of a cluster that has ended.
     *
     * @param own      what this node's etcd says, if it runs on the old data
     * @param silences of the members that are left behind, a clause each
     */
    public record Seen(Optional<MemberStatus> own, List<String> silences) {}

    /** Notes who the members are, for runs that resume this one. */
    void keepMembers() {
        known.keep();
    }

    /** The command that begins the restore and resumes it. */
    String command(RestoreSource source) {
        return command(source, named);
    }

    private static String command(RestoreSource source, Collection<String> names) {
        return source.command()
                + names.stream()
                        .map(name -> " --declare-lost " + name)
                        .collect(Collectors.joining());
    }

    /**
     * Looks, and looks again for some seconds where only a leader that this node's member knows, or
     * knew before it stopped responding, speaks for the cluster: it may have just gone.
     *
     * @throws ClusterException unless the old cluster has ended
     */
    Seen require(RestoreSource source) {
        LocalEtcdState node = etcd.host().state();
        RestoreJournal journal = new RestoreJournal(files, etcd);
        Optional<RestoreEntry> entry = journal.unfinished();
        known.askApiServer();
        try (EtcdCluster cluster = clients.connect(access(node))) {
            Look look = look(cluster, node, entry, source);
            OldCluster verdict = decide(look);
            for (Duration waited = Duration.ZERO;
                    onlyOwnLeader(verdict, look) && waited.compareTo(LEADER_PATIENCE) < 0;
                    waited = waited.plus(INTERVAL)) {
                clients.observer().pause("etcd", "this node's member knows a leader", INTERVAL);
                look = look(cluster, node, entry, source);
                verdict = decide(look);
            }
            // where the new one serves, what ended the old one was decided before
            boolean serves = journal.read()
                    .filter(noted -> noted.passed(RestoreStep.SERVING))
                    .isPresent();
            switch (verdict) {
                case OldCluster.Alive alive -> throw alive(alive, look);
                case OldCluster.LedBefore before -> throw ledBefore(before);
                case OldCluster.NotKnown open when !serves -> throw notKnown(open, look, source);
                case OldCluster.Misnamed misnamed when !serves -> throw misnamed(misnamed, look);
                case OldCluster.Ended _, OldCluster.NotKnown _, OldCluster.Misnamed _ -> {
                    return new Seen(look.own, look.silences());
                }
            }
        }
    }

    /** A certificate that is made for it is valid for an hour. */
    private EtcdAccess access(LocalEtcdState node) {
        Instant now = clients.observer().now();
        if (now.isAfter(accessUntil)) {
            access = clients.to(node.clientUrls(), node.certificatesDir());
            accessUntil = now.plus(ACCESS_LASTS);
        }
        return access;
    }

    /**
     * Decides. Where a leader that this node's member knows is all that is seen of the others, that
     * is noted for the time when it does not respond any more.
     */
    private OldCluster decide(Look look) {
        OldCluster verdict = OldClusterDecider.decide(look.facts);
        if (look.own.isPresent()) {
            leader.note(onlyOwnLeader(verdict, look), clients.observer().now());
        }
        return verdict;
    }

    private static boolean onlyOwnLeader(OldCluster verdict, Look look) {
        return switch (verdict) {
            case OldCluster.Alive alive -> alive.proofs().stream().allMatch(look::isOwnLeader);
            case OldCluster.LedBefore _ -> true;
            case OldCluster.Ended _, OldCluster.NotKnown _, OldCluster.Misnamed _ -> false;
        };
    }

    /** @param own what this node's etcd says, if it runs on the old data */
    private record Look(ClusterLook facts, Optional<MemberStatus> own) {

        boolean isOwn(Member member) {
            return facts.members().stream()
                    .anyMatch(asked -> asked.own() && asked.member().equals(member));
        }

        boolean isOwnLeader(Proof proof) {
            return proof.sign() == Sign.KNOWS_LEADER && isOwn(proof.member());
        }

        List<String> silences() {
            return facts.members().stream()
                    .filter(asked -> !asked.own())
                    .map(asked -> label(asked.member()) + ": " + asked.silence())
                    .toList();
        }
    }

    private Look look(
            EtcdCluster cluster,
            LocalEtcdState node,
            Optional<RestoreEntry> entry,
            RestoreSource source) {
        // once it was stopped, what runs here is of the new cluster
        boolean stopped =
                entry.filter(noted -> noted.passed(RestoreStep.STOPPED)).isPresent();
        Optional<MemberStatus> own = stopped
                ? Optional.empty()
                : cluster.statusesAt(node.localClientUrls()).values().stream()
                        .flatMap(answer -> answer.status().stream())
                        .findFirst();
        own.map(MemberStatus::memberId).ifPresent(known::own);
        List<Member> recorded = source.listed()
                .filter(list ->
                        own.filter(status -> knowsMore(status, list, source)).isEmpty())
                .map(RestoreSource.Listed::members)
                .orElse(List.of());
        OldMembers.Known all = known.look(cluster, node, entry, recorded);
        Map<URI, StatusAnswer> answers = answers(cluster, node, all, own);
        List<Asked> asked = new ArrayList<>();
        for (Member member : all.members()) {
            asked.add(
                    known.isOwn(member, node)
                            ? new Asked(member, true, own, "", false)
                            : asked(member, answers));
        }
        answers.forEach((url, answer) -> answer.status()
                .filter(_ -> all.members().stream()
                        .noneMatch(member -> clientUrls(member).contains(url)))
                .ifPresent(status -> asked.add(stranger(url, status))));
        Optional<Duration> ledAgo = stopped || own.isPresent()
                ? Optional.empty()
                : leader.ago(clients.observer().now());
        return new Look(new ClusterLook(all.listed(), all.alone(), asked, named, ledAgo), own);
    }

    /**
     * Whether this node's etcd knows the members better than a list that was recorded. Entries of
     * the logs of two clusters cannot be compared: a cluster that was restored from the other one
     * has none of its members, and any other knows nothing of them.
     */
    private boolean knowsMore(
            MemberStatus status, RestoreSource.Listed list, RestoreSource source) {
        Optional<String> recorded = source.clusterId();
        return recorded.filter(status.clusterId()::equals).isPresent()
                ? status.appliedIndex() >= list.index()
                : recorded.filter(new ClusterLineage(files, etcd.host().lineage())
                                .of(List.of(status.clusterId()))::contains)
                        .isPresent();
    }

    /** What others answer, where the URL does not lead back to this node. */
    private Map<URI, StatusAnswer> answers(
            EtcdCluster cluster,
            LocalEtcdState node,
            OldMembers.Known all,
            Optional<MemberStatus> own) {
        Set<URI> urls = new LinkedHashSet<>(all.urls());
        all.members().stream()
                .filter(member -> !known.isOwn(member, node))
                .forEach(member -> urls.addAll(clientUrls(member)));
        Map<URI, StatusAnswer> answers = cluster.statusesAt(urls);
        answers.values()
                .removeIf(answer -> answer.status()
                        .filter(status -> own.filter(
                                        ours -> ours.memberId().equals(status.memberId()))
                                .isPresent())
                        .isPresent());
        return answers;
    }

    private static List<URI> clientUrls(Member member) {
        return OldMembers.clientUrls(member).stream().map(OldMembers::canonical).toList();
    }

    private Asked asked(Member member, Map<URI, StatusAnswer> answers) {
        List<StatusAnswer> own = clientUrls(member).stream()
                .map(answers::get)
                .filter(answer -> answer != null)
                .toList();
        Optional<MemberStatus> status =
                own.stream().flatMap(answer -> answer.status().stream()).findFirst();
        return new Asked(
                member,
                false,
                status,
                own.stream()
                        .map(StatusAnswer::silence)
                        .filter(Predicate.not(String::isEmpty))
                        .findFirst()
                        .orElse("no response"),
                status.isEmpty() && member.peerUrls().stream().anyMatch(listens));
    }

    private static Asked stranger(URI url, MemberStatus status) {
        return new Asked(
                new Member(status.memberId(), "", List.of(), List.of(url), status.learner()),
                false,
                Optional.of(status),
                "",
                false);
    }

    /** Name, or client URL, or ID: how messages speak of a member that is asked. */
    private static String label(Member member) {
        if (member.started()) {
            return member.name();
        }
        return member.clientUrls().stream()
                .findFirst()
                .map(URI::toString)
                .orElseGet(() -> ClusterLook.label(member));
    }

    private ClusterException alive(OldCluster.Alive alive, Look look) {
        if (onlyOwnLeader(alive, look)) {
            return new ClusterException(
                    RestoreReason.OTHERS_RUN,
                    "the etcd cluster has a quorum",
                    "%s knows a leader, so other members serve, also where this node does not reach them on their client ports (2379)"
                            .formatted(label(alive.proofs().getFirst().member())),
                    "see on another node: kjadm etcd status. To replace the cluster anyway, "
                            + etcd.stopOthers());
        }
        return new ClusterException(
                RestoreReason.OTHERS_RUN,
                "other etcd members still run",
                alive.proofs().stream()
                                .map(OldClusterCheck::sentence)
                                .collect(Collectors.joining(", "))
                        + ": they would form a second cluster with the old data",
                etcd.stopOthers());
    }

    private ClusterException ledBefore(OldCluster.LedBefore before) {
        Instant until = clients.observer().now().plus(before.left());
        return new ClusterException(
                RestoreReason.HAD_QUORUM,
                "the etcd cluster had a quorum %d s ago".formatted(before.ago().toSeconds()),
                "this node's member knew a leader then; it does not respond now, so it is not known whether that leader is gone",
                "start etcd on this node, then run the same command again; if its data are lost, %s, then run the same command again after %s"
                        .formatted(etcd.stopOthers(), until.truncatedTo(ChronoUnit.SECONDS)));
    }

    private static String sentence(Proof proof) {
        Member member = proof.member();
        return switch (proof.sign()) {
            case KNOWS_LEADER -> label(member) + " knows a leader";
            case SERVES -> label(member) + " responds";
            case LISTENS ->
                "%s listens on its peer port (%s)".formatted(label(member), member.peerUrls());
        };
    }

    private ClusterException notKnown(OldCluster.NotKnown open, Look look, RestoreSource source) {
        List<String> reasons = new ArrayList<>();
        if (!open.unnamed().isEmpty()) {
            reasons.add(
                    "no response from %s; members that still have their data may run again, and form a second cluster"
                            .formatted(look.facts().members().stream()
                                    .filter(asked -> open.unnamed().contains(asked.member()))
                                    .map(asked -> "%s (%s)"
                                            .formatted(label(asked.member()), asked.silence()))
                                    .collect(Collectors.joining(", "))));
        }
        if (open.unlisted()) {
            reasons.add(
                    "nothing on this machine lists the members: its etcd does not respond, it has no database, and no API server responds");
        }
        Set<String> names = new LinkedHashSet<>(named);
        open.unnamed().forEach(member -> names.add(ClusterLook.label(member)));
        if (open.unlisted()) {
            names.add(ClusterLook.NO_OTHERS);
        }
        return new ClusterException(
                RestoreReason.NOT_DECLARED_LOST,
                "it is not known whether the old etcd cluster has ended",
                String.join("; ", reasons),
                "only if %s lost for good or shut off for good%s: %s"
                        .formatted(
                                open.unnamed().isEmpty()
                                        ? "all other members are"
                                        : "each of them is",
                                open.unlisted() ? ", and there are no others" : "",
                                command(source, names)));
    }

    private static ClusterException misnamed(OldCluster.Misnamed misnamed, Look look) {
        return new ClusterException(
                "no member is called "
                        + misnamed.names().stream().sorted().collect(Collectors.joining(", ")),
                "the members are "
                        + look.facts().members().stream()
                                .map(asked -> ClusterLook.label(asked.member()))
                                .collect(Collectors.joining(", ")),
                "give --declare-lost names, IDs or peer URLs as etcd lists them");
    }
}
