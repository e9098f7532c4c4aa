package io.kjadm.core.upgrade.check;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.Images;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.EtcdUrlFlags;
import io.kjadm.core.etcd.check.EtcdCheckup;
import io.kjadm.core.etcd.check.V2ContentReader;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.core.upgrade.EtcdPatch;
import io.kjadm.core.upgrade.InstalledNode;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.check.ClusterFacts;
import io.kjadm.etcd.upgrade.V2Content;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.NameAndUrl;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Asks a stacked etcd what an upgrade has to know of it. Changes nothing. */
public final class EtcdStateReader {

    private final HostFiles files;
    private final EtcdClients clients;
    private final EtcdCheckup checkup;
    private final Reporter out;

    public EtcdStateReader(
            HostFiles files, EtcdClients clients, EtcdCheckup checkup, Reporter out) {
        this.files = files;
        this.clients = clients;
        this.checkup = checkup;
        this.out = out;
    }

    /**
     * The cluster, all members asked at the same time.
     *
     * @param next the cluster's configuration with the version that they get
     */
    EtcdState read(InstalledNode node, Path kubeconfig, ClusterConfiguration next) {
        try {
            ClusterFacts cluster = checkup.look(access(node, kubeconfig));
            String targetTag = Images.of(next).etcdTag();
            return new EtcdState.Seen(
                    cluster,
                    targetTag,
                    v2Content(node, cluster, targetTag),
                    EtcdRules.version(targetTag)
                            .flatMap(_ -> EtcdPatch.of(cluster.health(), next, false)));
        } catch (EtcdCallException | KjadmException e) {
            return new EtcdState.Silent(e.getMessage());
        }
    }

    /** Of this node's member, whose data is here. */
    private Map<MemberId, V2Content> v2Content(
            InstalledNode node, ClusterFacts cluster, String targetTag) {
        Optional<EtcdVersion> target = EtcdRules.version(targetTag);
        Optional<Member> own = cluster.health().members().stream()
                .filter(node.etcd()::hasPeerUrlOf)
                .findFirst();
        return target.isPresent() && own.isPresent()
                ? new V2ContentReader(files)
                        .before(
                                target.get(),
                                cluster.health(),
                                own.get(),
                                node.etcd().dataDir())
                : Map.of();
    }

    /**
     * All members as this node's manifest is to list them; if none can be asked, as it lists them
     * now.
     */
    public List<NameAndUrl> members(InstalledNode node, Path kubeconfig) {
        try {
            return members(node, checkup.members(access(node, kubeconfig)));
        } catch (EtcdCallException | KjadmException e) {
            out.warn("the members of etcd are shown as this node's manifest lists them: "
                    + e.getMessage());
            return listed(node);
        }
    }

    /** The same from a member list that is known. */
    List<NameAndUrl> members(InstalledNode node, EtcdState etcd) {
        return etcd instanceof EtcdState.Seen(var cluster, String _, var _, var _)
                ? members(node, cluster.health().members())
                : listed(node);
    }

    private EtcdAccess access(InstalledNode node, Path kubeconfig) {
        return clients.access(node.etcd(), Optional.of(kubeconfig), out);
    }

    private static List<NameAndUrl> members(InstalledNode node, List<Member> members) {
        Set<URI> own = node.etcd().peerUrls();
        return members.stream()
                .flatMap(member -> member.peerUrls().stream()
                        .map(url -> new NameAndUrl(
                                own.contains(url) ? node.name() : member.label(), url)))
                .toList();
    }

    private List<NameAndUrl> listed(InstalledNode node) {
        List<NameAndUrl> listed = StaticPodText.of(files, node.paths(), EtcdPod.NAME)
                .map(pod -> new EtcdUrlFlags(pod::flag).initialCluster())
                .orElse(List.of());
        return listed.isEmpty()
                ? node.etcd().peerUrls().stream()
                        .map(url -> new NameAndUrl(node.name(), url))
                        .toList()
                : listed;
    }
}
