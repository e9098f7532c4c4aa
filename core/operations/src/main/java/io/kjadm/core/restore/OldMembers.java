package io.kjadm.core.restore;

import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.StoredMember;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.RestoreStep;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdPorts;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.recover.NodeEvidence.StartedWith;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Who the members of the old cluster are, by every source: this node's etcd, its database in place
 * or set aside, the API server, the journal of a join, and what etcd is started with.
 */
final class OldMembers {

    /** Where the list is noted, beside the journal of the restore. */
    static final String NOTE = "members.json";

    private final HostFiles files;
    private final RestoredEtcd etcd;
    private final EtcdClients clients;
    private final Reporter out;
    /** Reading a database takes some seconds for each GiB. */
    private final Map<Path, List<Member>> stored = new HashMap<>();

    private List<URI> pods = List.of();
    private List<Member> latest = List.of();
    private List<Member> recorded = List.of();
    private Optional<MemberId> own = Optional.empty();

    OldMembers(HostFiles files, RestoredEtcd etcd, EtcdClients clients, Reporter out) {
        this.files = files;
        this.etcd = etcd;
        this.clients = clients;
        this.out = out;
    }

    /**
     * What is known.
     *
     * @param listed  whether a member, a database or an API server lists them
     * @param alone   whether the list has one voter, without what was recorded elsewhere
     * @param members of the old cluster, this node's too
     * @param urls    where else members may respond
     */
    record Known(boolean listed, boolean alone, List<Member> members, Set<URI> urls) {}

    /** Asks the API server, until it has told them once. */
    void askApiServer() {
        if (pods.isEmpty()) {
            pods = etcd.host()
                    .kubeconfig()
                    .map(path -> clients.podUrls(path, out))
                    .orElse(List.of());
        }
    }

    /**
     * Looks; {@code cluster} asks this node's etcd, and {@code entry} is the restore's journal.
     *
     * @param recorded with the snapshots, unless this node's etcd is known to be further. A founder
     *     that was started again without data lists itself alone
     */
    Known look(
            EtcdCluster cluster,
            LocalEtcdState node,
            Optional<RestoreEntry> entry,
            List<Member> recorded) {
        List<Member> members = new ArrayList<>(list(cluster, node, entry));
        boolean listed = !members.isEmpty();
        latest = List.copyOf(members);
        // what the first run has found is what its later runs go by
        Optional<List<Member>> before =
                entry.flatMap(_ -> files.read(recordedNote()).map(StoredMember::parse));
        // not this node's, whose peer URLs may have changed since
        this.recorded = before.orElse(recorded).stream()
                .filter(member -> node.name().filter(member.name()::equals).isEmpty())
                .toList();
        add(members, this.recorded);
        Set<URI> urls = new LinkedHashSet<>();
        node.clientUrls().forEach(url -> urls.add(canonical(url)));
        if (!listed) {
            add(
                    members,
                    Stream.concat(
                                    hinted(node),
                                    etcd.host().startedWith().stream().map(OldMembers::member))
                            .toList());
        }
        // without a list a URL is all that is known of a member
        for (URI url :
                listed ? pods : Stream.concat(pods.stream(), urls.stream()).toList()) {
            if (isAnothers(url, node) && members.stream().noneMatch(one -> serves(one, url))) {
                members.add(member(url));
            }
        }
        pods.forEach(url -> urls.add(canonical(url)));
        urls.removeIf(url -> !isAnothers(url, node));
        return new Known(
                listed || !pods.isEmpty(),
                latest.stream().filter(Member::voter).count() == 1,
                members,
                urls);
    }

    private static void add(List<Member> members, List<Member> others) {
        for (Member member : others) {
            if (members.stream().noneMatch(one -> same(one, member))) {
                members.add(member);
            }
        }
    }

    static URI canonical(URI url) {
        return EtcdUrls.canonical(url, EtcdPorts.CLIENT);
    }

    private static boolean isAnothers(URI url, LocalEtcdState node) {
        return Stream.of(node.ownClientUrls(), node.localClientUrls())
                .flatMap(Set::stream)
                .map(OldMembers::canonical)
                .noneMatch(canonical(url)::equals);
    }

    private static boolean same(Member one, Member other) {
        return one.id().equals(other.id()) && !one.id().isNone()
                || one.name().equals(other.name()) && !one.name().isEmpty()
                || one.peerUrls().stream().anyMatch(other.peerUrls()::contains);
    }

    private static boolean serves(Member member, URI url) {
        return clientUrls(member).stream()
                .map(OldMembers::canonical)
                .anyMatch(canonical(url)::equals);
    }

    /** Of one that has not told any, those beside its peer URLs. */
    static List<URI> clientUrls(Member member) {
        return member.clientUrls().isEmpty()
                ? member.peerUrls().stream()
                        .flatMap(url -> beside(url, EtcdPorts.CLIENT).stream())
                        .toList()
                : member.clientUrls();
    }

    private static Optional<URI> beside(URI url, int port) {
        return url.getHost() == null
                ? Optional.empty()
                : Optional.of(EtcdUrls.of(url.getScheme(), EtcdUrls.host(url), port));
    }

    private static Member member(StartedWith other) {
        return new Member(MemberId.NONE, other.name(), List.of(other.peerUrl()), List.of(), false);
    }

    private static Member member(URI clientUrl) {
        return new Member(
                MemberId.NONE,
                "",
                beside(clientUrl, EtcdPorts.PEER).map(List::of).orElse(List.of(clientUrl)),
                List.of(clientUrl),
                false);
    }

    /**
     * This node's etcd knows best; once it is stopped, its database does, and what was noted when
     * the restore began.
     */
    private List<Member> list(
            EtcdCluster cluster, LocalEtcdState node, Optional<RestoreEntry> entry) {
        boolean stopped =
                entry.filter(noted -> noted.passed(RestoreStep.STOPPED)).isPresent();
        List<Member> list = stopped ? List.of() : served(cluster, node);
        if (list.isEmpty()) {
            list = stored(database(node, entry));
        }
        if (own.isEmpty() && entry.isPresent()) {
            own = files.read(ownNote()).map(String::strip).map(MemberId::parse);
        }
        if (list.isEmpty() && entry.isPresent()) {
            list = noted();
        }
        return list;
    }

    private List<Member> noted() {
        return files.read(note()).map(StoredMember::parse).orElse(List.of());
    }

    private Path note() {
        return etcd.host().restoreJournal().resolveSibling(NOTE);
    }

    private Path recordedNote() {
        return etcd.host().restoreJournal().resolveSibling("snapshot-members.json");
    }

    private Path ownNote() {
        return etcd.host().restoreJournal().resolveSibling("own-member");
    }

    /** Notes the list and this node's member for later runs: a database may be damaged. */
    void keep() {
        files.write(note(), StoredMember.write(latest), FileMode.OWNER_ONLY);
        files.write(recordedNote(), StoredMember.write(recorded), FileMode.OWNER_ONLY);
        own.ifPresent(id -> files.write(ownNote(), id + "\n", FileMode.OWNER_ONLY));
    }

    /** Remembers which member this node's etcd is; its peer URLs may have changed. */
    void own(MemberId id) {
        own = Optional.of(id);
    }

    /** Whether it is this node's. */
    boolean isOwn(Member member, LocalEtcdState node) {
        return own.filter(member.id()::equals).isPresent() || node.hasPeerUrlOf(member);
    }

    private List<Member> served(EtcdCluster cluster, LocalEtcdState node) {
        for (URI url : node.localClientUrls()) {
            try {
                return cluster.membersKnownTo(url);
            } catch (EtcdCallException e) {
                out.detail("etcd: %s: %s".formatted(url, e.text()));
            }
        }
        return List.of();
    }

    /** Once the data were set aside, those in place are of the new cluster. */
    private static Path database(LocalEtcdState node, Optional<RestoreEntry> entry) {
        return entry.filter(noted -> noted.passed(RestoreStep.SET_ASIDE))
                .map(RestoreEntry::aside)
                .orElseGet(() -> node.dataDir().resolve(KubernetesPaths.ETCD_MEMBER));
    }

    private List<Member> stored(Path directory) {
        return stored.computeIfAbsent(
                directory,
                _ -> files.exists(directory)
                        ? out.during(
                                "etcd",
                                "Reading the database in " + directory,
                                () -> DatabaseReader.membersIn(files, directory))
                        : List.of());
    }

    /**
     * Whom an interrupted join and earlier data on this node name. They may be of an earlier member
     * of this node, so they are no list.
     */
    private Stream<Member> hinted(LocalEtcdState node) {
        List<Member> joining = node.join().map(JoinEntry::before).orElse(List.of());
        return joining.isEmpty()
                ? SetAsideData.of(files, node.dataDir()).stream()
                        .map(this::stored)
                        .filter(Predicate.not(List::isEmpty))
                        .findFirst()
                        .stream()
                        .flatMap(List::stream)
                : joining.stream();
    }
}
