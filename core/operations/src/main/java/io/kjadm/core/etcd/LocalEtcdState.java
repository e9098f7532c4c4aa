package io.kjadm.core.etcd;

import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdPorts;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinState;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.NameAndUrl;

import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * What this node's files tell about its etcd member. The manifest comes first, as it is what the
 * kubelet runs; the cluster's configuration may have changed since. So neither the API server nor
 * etcd has to answer.
 *
 * @param setup           what this machine is set up to run
 * @param name            of the member
 * @param urls            of the member, and of others
 * @param dataDir         where its data is
 * @param data            whether there is any
 * @param certificatesDir where the certificates for asking etcd are
 * @param join            what an unfinished join has noted
 */
public record LocalEtcdState(
        Setup setup,
        Optional<String> name,
        Urls urls,
        Path dataDir,
        boolean data,
        Path certificatesDir,
        Optional<JoinEntry> join) {

    private static final String CERTIFICATES_VOLUME = "etcd-certs";
    private static final URI LOOPBACK = EtcdUrls.of("https", "127.0.0.1", EtcdPorts.CLIENT);

    /**
     * What this machine is set up to run.
     *
     * @param external     whether the cluster keeps its data in somebody else's etcd
     * @param manifest     whether this machine runs etcd, as a static pod or as a service
     * @param unreadable   why the manifest tells nothing, if it does not
     * @param controlPlane whether an API server runs here
     * @param founder      whether the manifest starts a cluster of its own
     * @param added        flags of somebody else's with which care is needed
     */
    public record Setup(
            boolean external,
            boolean manifest,
            Optional<String> unreadable,
            boolean controlPlane,
            boolean founder,
            AddedFlags added) {}

    /**
     * Where members are reached.
     *
     * @param peer        this member's peer URLs
     * @param ownClient   where it serves clients
     * @param localClient those of them that only this machine reaches: who answers there is ours
     * @param otherClient where other members may serve theirs
     */
    public record Urls(
            Set<URI> peer, Set<URI> ownClient, Set<URI> localClient, Set<URI> otherClient) {

        public Urls {
            peer = Set.copyOf(peer);
        }
    }

    /** Whether the cluster keeps its data in somebody else's etcd. */
    public boolean external() {
        return setup.external;
    }

    /** Whether this machine is set up to run etcd, as a static pod or as a service. */
    public boolean manifest() {
        return setup.manifest;
    }

    /** Why the manifest tells nothing, if it does not. */
    public Optional<String> unreadable() {
        return setup.unreadable;
    }

    /** Flags of somebody else's with which care is needed. */
    public AddedFlags added() {
        return setup.added;
    }

    /** This member's peer URLs. */
    public Set<URI> peerUrls() {
        return urls.peer;
    }

    /** Where this member serves clients. */
    public Set<URI> ownClientUrls() {
        return urls.ownClient;
    }

    /** Those of them that only this machine reaches: who answers there is ours. */
    public Set<URI> localClientUrls() {
        return urls.localClient;
    }

    /**
     * Reads the node's files.
     *
     * @param manifests the manifest of a static pod by its component's name, wherever it is kept
     * @param cluster   what the cluster's configuration says, if it could be read
     */
    public static LocalEtcdState look(
            HostFiles files,
            KubernetesPaths paths,
            Function<String, Optional<String>> manifests,
            Optional<ConfiguredEtcd> cluster) {
        Optional<String> text = manifests.apply(EtcdPod.NAME);
        Optional<StaticPodText> etcd = text.flatMap(StaticPodText::parse)
                .filter(pod -> pod.hostPath(EtcdPod.DATA_VOLUME).isPresent());
        Optional<StaticPodText> apiServer =
                manifests.apply(ApiServerPod.NAME).flatMap(StaticPodText::parse);
        Path dataDir = etcd.flatMap(pod -> pod.hostPath(EtcdPod.DATA_VOLUME))
                .or(() -> cluster.flatMap(ConfiguredEtcd::dataDir))
                .orElse(KubernetesPaths.ETCD_DATA_DIR);
        EtcdUrlFlags urls = new EtcdUrlFlags(name -> etcd.flatMap(pod -> pod.flag(name)));
        Setup setup = new Setup(
                text.isEmpty() && external(cluster, apiServer),
                text.isPresent(),
                text.isPresent() && etcd.isEmpty()
                        ? Optional.of("%s has no volume %s"
                                .formatted(paths.manifest(EtcdPod.NAME), EtcdPod.DATA_VOLUME))
                        : Optional.empty(),
                apiServer.isPresent(),
                etcd.filter(pod -> pod.flag("initial-cluster-state")
                                .filter("existing"::equals)
                                .isEmpty())
                        .isPresent(),
                AddedFlags.of(
                        paths.manifest(EtcdPod.NAME),
                        dataDir,
                        name -> etcd.flatMap(pod -> pod.flagOrSwitch(name))));
        return new LocalEtcdState(
                setup,
                etcd.flatMap(pod -> pod.flag("name")),
                new Urls(
                        peerUrls(urls.of("initial-advertise-peer-urls"), apiServer),
                        orLoopback(urls.clients()),
                        orLoopback(urls.local()),
                        urls.others()),
                dataDir,
                files.exists(dataDir.resolve(KubernetesPaths.ETCD_MEMBER)),
                etcd.flatMap(pod -> pod.hostPath(CERTIFICATES_VOLUME))
                        .map(Path::getParent)
                        .or(() -> cluster.map(ConfiguredEtcd::certificatesDir))
                        .orElse(paths.certificatesDir()),
                new JournalFile(files, paths.tmpDir()).read());
    }

    /** The same with every manifest in its place and without the cluster's configuration. */
    public static LocalEtcdState look(HostFiles files, KubernetesPaths paths) {
        return look(files, paths, name -> files.read(paths.manifest(name)), Optional.empty());
    }

    /** The same, knowing where more members may serve their clients. */
    public LocalEtcdState withOthers(Collection<URI> more) {
        Set<URI> others = new LinkedHashSet<>(urls.otherClient);
        others.addAll(more);
        return new LocalEtcdState(
                setup,
                name,
                new Urls(urls.peer, urls.ownClient, urls.localClient, others),
                dataDir,
                data,
                certificatesDir,
                join);
    }

    /** An API server beside its own etcd asks that one only. */
    private static boolean external(
            Optional<ConfiguredEtcd> cluster, Optional<StaticPodText> apiServer) {
        return cluster.map(ConfiguredEtcd::external)
                .orElseGet(() -> apiServer
                        .map(pod -> pod.urls("etcd-servers"))
                        .filter(urls ->
                                !urls.isEmpty() && urls.stream().noneMatch(EtcdUrls::loopback))
                        .isPresent());
    }

    private static Set<URI> orLoopback(Set<URI> urls) {
        return urls.isEmpty() ? Set.of(LOOPBACK) : urls;
    }

    private static Set<URI> peerUrls(Set<URI> named, Optional<StaticPodText> apiServer) {
        return named.isEmpty()
                ? advertised(apiServer).map(EtcdUrls::peer).map(Set::of).orElse(Set.of())
                : named;
    }

    /** Without etcd's manifest, its URLs are made from the address the API server is told by. */
    private static Optional<InetAddress> advertised(Optional<StaticPodText> apiServer) {
        return apiServer.flatMap(pod -> pod.flag("advertise-address")).flatMap(literal -> {
            try {
                return Optional.of(InetAddress.ofLiteral(literal));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        });
    }

    /**
     * Where the cluster may be asked: at this node's own etcd, at the members it was started with,
     * and at those that an unfinished join has asked, as its manifest may not be written yet.
     */
    public Set<URI> clientUrls() {
        Set<URI> all = new LinkedHashSet<>(urls.ownClient);
        all.addAll(urls.otherClient);
        join.map(JoinEntry::before).stream()
                .flatMap(List::stream)
                .map(Member::clientUrls)
                .forEach(all::addAll);
        return all;
    }

    /**
     * The members that its manifest lists, where this node's has joined them and has its data: a
     * manifest that is written anew lists them, too, so that a member that loses its data never
     * founds a cluster of its own.
     *
     * @param file the manifest
     */
    public Optional<List<NameAndUrl>> joined(HostFiles files, Path file) {
        return files.read(file)
                .filter(_ -> data && !setup.founder)
                .flatMap(StaticPodText::parse)
                .map(pod -> new EtcdUrlFlags(pod::flag).initialCluster())
                .filter(members ->
                        members.stream().map(NameAndUrl::url).anyMatch(urls.peer::contains));
    }

    /**
     * Why etcd would not find its data if its manifest became another one. It would found a cluster
     * of its own, or be a member that has forgotten what the others know that it has.
     *
     * @param file the manifest
     * @param text what it is to be
     */
    public Optional<Problem> dataLeftBehind(HostFiles files, Path file, String text) {
        return StaticPodText.parse(text).flatMap(next -> dataLeftBehind(files, file, next));
    }

    private Optional<Problem> dataLeftBehind(HostFiles files, Path file, StaticPodText next) {
        Path here = files.read(file)
                .flatMap(StaticPodText::parse)
                .flatMap(LocalEtcdState::dataOf)
                .orElse(dataDir);
        Path place = dataOf(next).orElse(dataDir);
        Path log = setup.added.log(dataDir);
        Path nextLog = AddedFlags.of(file, dataDir, next::flagOrSwitch).log(dataDir);
        boolean moved = !isOne(files, here, place);
        if (!moved && isOne(files, log, nextLog)) {
            return Optional.empty();
        }
        return Optional.of(new Problem(
                CommonReason.DATA_ELSEWHERE,
                "etcd on this node would not find its %s".formatted(moved ? "data" : "log"),
                "by %s it has it in %s; by the cluster's configuration, or a patch, it would be in %s; nothing was changed"
                        .formatted(file, moved ? here : log, moved ? place : nextLog),
                "set etcd.local.%s in the cluster's configuration (ConfigMap kubeadm-config) as the manifest has it, or give a patch that keeps it, then run the command again"
                        .formatted(moved ? "dataDir" : "extraArgs (--wal-dir)")));
    }

    /** It may be below its volume, as where an administrator has passed by the lost+found of a disk. */
    private static Optional<Path> dataOf(StaticPodText pod) {
        return pod.flag("data-dir")
                .flatMap(directory -> pod.onHost(EtcdPod.DATA_VOLUME, Path.of(directory)))
                .or(() -> pod.hostPath(EtcdPod.DATA_VOLUME));
    }

    private static boolean isOne(HostFiles files, Path one, Path other) {
        return one.normalize().equals(other.normalize())
                || files.realPath(one).isPresent()
                        && files.realPath(one).equals(files.realPath(other));
    }

    /**
     * What the etcd on this machine reports of itself, asked where only this machine reaches it: a
     * proof of which member it is, as an address that others reach is not. Empty if it does not
     * respond.
     */
    public Optional<MemberStatus> ownStatus(EtcdCluster cluster) {
        for (URI url : urls.localClient) {
            try {
                return Optional.of(cluster.status(url));
            } catch (EtcdCallException e) {
                // the next URL may respond
            }
        }
        return Optional.empty();
    }

    /** Whether a member is listed under a peer URL of this machine's: by its address alone. */
    public boolean hasPeerUrlOf(Member member) {
        return member.peerUrls().stream().anyMatch(urls.peer::contains);
    }

    /** Whether the cluster may list a member for this node. */
    public boolean mayBeMember() {
        return !setup.external
                && (setup.manifest
                        || data
                        || setup.controlPlane
                        || noted().isPresent()
                        || adding().isPresent());
    }

    /** What is noted of an add that was sent and whose answer is not known. */
    public Optional<JoinEntry> adding() {
        return join.filter(entry -> entry.state() == JoinState.ADDING);
    }

    /** The member that an unfinished join has added, if its ID is known. */
    public Optional<MemberId> noted() {
        return join.flatMap(JoinEntry::memberId);
    }

    /**
     * Whether its own cluster may never have come up, so that there is nobody to list it. Lost data
     * looks the same, so this decides only when nobody can be asked.
     */
    public boolean neverStarted() {
        return setup.founder && !data;
    }
}
