package io.kjadm.core.recover;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.DataInUse;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.commands.ClusterLookup;
import io.kjadm.core.etcd.commands.EtcdTarget;
import io.kjadm.core.etcd.host.EtcdHost;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.HostInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.restore.DatabaseReader;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdSurvey;
import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.StatusAnswer;
import io.kjadm.etcd.recover.DatabaseEvidence;
import io.kjadm.etcd.recover.DiskEvidence;
import io.kjadm.etcd.recover.MemberAnswer;
import io.kjadm.etcd.recover.NodeEvidence;
import io.kjadm.etcd.recover.NodeEvidence.OwnMember;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Gathers what this node can tell of etcd: from its files and its disk, from the members that
 * answer, and from the API server if it does. Needs neither API server nor quorum; changes nothing.
 */
public final class EvidenceCollector {

    private static final int LOOKS = 3;
    private static final int LEADER_LOOKS = 10;
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final HostFiles files;
    private final EtcdHost etcd;
    private final EtcdClients clients;
    private final ClusterLookup hints;
    private final Reporter out;

    /**
     * @param etcd  this machine's
     * @param hints who else may know members
     */
    public EvidenceCollector(
            HostFiles files,
            EtcdHost etcd,
            EtcdClients clients,
            ClusterLookup hints,
            Reporter out) {
        this.files = files;
        this.etcd = etcd;
        this.clients = clients;
        this.hints = hints;
        this.out = out;
    }

    /** Whether this node has an etcd, or the operator names one. */
    public boolean knows(EtcdTarget target) {
        return knows(target, etcd.state());
    }

    private static boolean knows(EtcdTarget target, LocalEtcdState node) {
        return !target.endpoints().isEmpty() || node.manifest() || node.data();
    }

    /** Where this node's etcd has its data. */
    public Path dataDir() {
        return etcd.state().dataDir();
    }

    /**
     * Looks, which takes some seconds, and as long as it takes to read the database.
     *
     * @throws HostException if there is no etcd on this node, and none is named
     */
    public NodeEvidence collect(EtcdTarget target) {
        LocalEtcdState node = etcd.state();
        boolean named = !target.endpoints().isEmpty();
        if (!knows(target, node)) {
            throw new HostException(
                    "no etcd member is known on this node",
                    "there is neither a manifest of etcd, nor an etcd.env, nor data in "
                            + node.dataDir(),
                    "run this on a machine that has a member, or name client URLs with --endpoints");
        }
        Set<URI> endpoints = new LinkedHashSet<>(named ? target.endpoints() : node.clientUrls());
        try (EtcdCluster cluster = clients.connect(
                clients.to(endpoints, target.certificatesDir().orElse(node.certificatesDir())))) {
            return with(cluster, node, endpoints, named);
        } catch (HostException e) {
            // what lies on the disk can be told without
            return evidence(
                    node,
                    disk(node, Optional.empty()),
                    Seen.none(List.of(e.what() + ": " + e.why())));
        }
    }

    private NodeEvidence with(
            EtcdCluster cluster, LocalEtcdState node, Set<URI> endpoints, boolean named) {
        DiskEvidence disk = disk(node, servedSoon(cluster, node));
        if (!named && disk instanceof DiskEvidence.Held held) {
            held.members().forEach(member -> endpoints.addAll(member.clientUrls()));
        }
        Seen seen = out.during("etcd", "Asking the members of etcd", () -> {
            EtcdSurvey survey = EtcdSurvey.of(cluster, endpoints);
            if (survey instanceof EtcdSurvey.Silence && !named) {
                List<URI> more = hints.endpoints().stream()
                        .filter(url -> !endpoints.contains(url))
                        .toList();
                endpoints.addAll(more);
                survey = more.isEmpty() ? survey : EtcdSurvey.of(cluster, endpoints);
            }
            return see(cluster, settled(cluster, survey, endpoints), revision(disk));
        });
        return evidence(node, disk, seen);
    }

    /**
     * A member forgets a leader that is gone within two election timeouts: one that knows a leader
     * where too few respond for a quorum is asked again for some seconds.
     */
    private EtcdSurvey settled(EtcdCluster cluster, EtcdSurvey first, Set<URI> endpoints) {
        EtcdSurvey survey = first;
        for (int look = 0; look < LEADER_LOOKS && isLedWithoutQuorum(survey); look++) {
            clients.observer().pause("etcd", "a member knows a leader", PAUSE);
            survey = EtcdSurvey.of(cluster, endpoints);
        }
        return survey;
    }

    private static boolean isLedWithoutQuorum(EtcdSurvey survey) {
        return survey instanceof EtcdSurvey.Heard heard
                && heard.health().isLed()
                && !heard.health().hasQuorum();
    }

    /** An etcd that has its database open but is slow to answer is asked again. */
    private Optional<Served> servedSoon(EtcdCluster cluster, LocalEtcdState node) {
        Optional<Served> served = served(cluster, node);
        for (int look = 1;
                look < LOOKS
                        && served.isEmpty()
                        && new DataInUse(files).by(node.dataDir()).isPresent();
                look++) {
            clients.observer().pause("etcd", "etcd of this node runs and has not answered", PAUSE);
            served = served(cluster, node);
        }
        return served;
    }

    private static Optional<Served> served(EtcdCluster cluster, LocalEtcdState node) {
        for (URI url : node.localClientUrls()) {
            try {
                return Optional.of(new Served(cluster, url, cluster.status(url).appliedIndex()));
            } catch (EtcdCallException e) {
                // another of its URLs may answer
            }
        }
        return Optional.empty();
    }

    private static OptionalLong revision(DiskEvidence disk) {
        return disk instanceof DiskEvidence.Held held
                        && held.database() instanceof DatabaseEvidence.Whole whole
                ? OptionalLong.of(whole.revision())
                : OptionalLong.empty();
    }

    /** Where this node's own etcd answers, and what it has applied. */
    private record Served(EtcdCluster cluster, URI url, long applied) {}

    private DiskEvidence disk(LocalEtcdState node, Optional<Served> served) {
        DatabaseReader reader = new DatabaseReader(files);
        return new DiskReader(files)
                .look(
                        node.dataDir(),
                        node.added().log(node.dataDir()),
                        served.map(Served::applied).orElse(0L),
                        () -> out.during(
                                "etcd",
                                "Reading the database of this node",
                                () -> served.map(own -> reader.served(own.cluster, own.url))
                                        .orElseGet(() -> reader.stored(node.dataDir()))));
    }

    /** What the members said. */
    private record Seen(
            List<MemberAnswer> answers,
            List<MemberAnswer> strangers,
            List<Alarm> alarms,
            List<String> silent) {

        private static Seen none(List<String> silent) {
            return new Seen(List.of(), List.of(), List.of(), silent);
        }
    }

    private static Seen see(EtcdCluster cluster, EtcdSurvey survey, OptionalLong revision) {
        return switch (survey) {
            case EtcdSurvey.Silence silence ->
                Seen.none(silence.reasons().entrySet().stream()
                        .map(entry -> entry.getKey() + ": " + entry.getValue())
                        .toList());
            case EtcdSurvey.Heard heard -> see(cluster, heard.health(), revision);
        };
    }

    private static Seen see(EtcdCluster cluster, EtcdHealth health, OptionalLong revision) {
        List<MemberAnswer> answers = health.members().stream()
                .map(member -> new MemberAnswer(
                        member,
                        health.status(member.id()),
                        health.silences().getOrDefault(member.id(), ""),
                        health.status(member.id()).flatMap(_ -> hash(cluster, member, revision))))
                .toList();
        return new Seen(answers, strangers(cluster, health), health.raisedAlarms(), List.of());
    }

    /** Empty if it does not tell: one that lags, or has compacted, cannot be compared. */
    private static Optional<KvHash> hash(
            EtcdCluster cluster, Member member, OptionalLong revision) {
        if (revision.isEmpty()) {
            return Optional.empty();
        }
        for (URI url : member.clientUrls()) {
            try {
                return Optional.of(cluster.hashKv(url, revision.getAsLong()));
            } catch (EtcdCallException e) {
                // another of its URLs may answer
            }
        }
        return Optional.empty();
    }

    /** Who answers in the place of a member under another ID. */
    private static List<MemberAnswer> strangers(EtcdCluster cluster, EtcdHealth health) {
        Collection<Member> missing = health.members().stream()
                .filter(member -> member.started() && health.status(member.id()).isEmpty())
                .toList();
        Map<Member, StatusAnswer> asked =
                missing.isEmpty() ? Map.of() : new LinkedHashMap<>(cluster.statuses(missing));
        List<MemberAnswer> strangers = new ArrayList<>();
        asked.forEach((member, answer) -> answer.status()
                .filter(status -> !status.memberId().equals(member.id()))
                .ifPresent(status -> strangers.add(stranger(member, status))));
        return strangers;
    }

    private static MemberAnswer stranger(Member member, MemberStatus status) {
        return new MemberAnswer(
                new Member(
                        status.memberId(),
                        "",
                        member.peerUrls(),
                        member.clientUrls(),
                        status.learner()),
                Optional.of(status),
                "",
                Optional.empty());
    }

    private NodeEvidence evidence(LocalEtcdState node, DiskEvidence disk, Seen seen) {
        String name = new HostInfo(files).hostname();
        boolean own = node.manifest() || disk instanceof DiskEvidence.Held;
        return new NodeEvidence(
                new NodeEvidence.Look(name, clients.observer().now(), new HostInfo(files).bootId()),
                own
                        ? Optional.of(new OwnMember(
                                node.name().orElse(name),
                                node.peerUrls(),
                                etcd.startedWith(),
                                disk))
                        : Optional.empty(),
                seen.answers,
                seen.strangers,
                seen.alarms,
                seen.silent);
    }
}
