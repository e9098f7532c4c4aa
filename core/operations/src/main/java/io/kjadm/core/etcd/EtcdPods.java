package io.kjadm.core.etcd;

import io.fabric8.kubernetes.api.model.Pod;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.etcd.Member;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.KubeSystem;
import io.kjadm.manifests.NameAndUrl;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The members of a stacked etcd by their pods. A pod that does not tell its URL is passed over: the
 * member list of those that do has it too.
 */
public final class EtcdPods {

    private static final Map<String, String> LABELS =
            Map.of("component", "etcd", "tier", "control-plane");

    private EtcdPods() {}

    /**
     * The client URLs that the etcd pods tell, asked once.
     *
     * @throws KubeApiException if the API server does not answer
     */
    public static List<URI> clientUrls(KubeApi api) {
        return clientUrls(api, pod -> true);
    }

    /**
     * The same without the pod of one node, which may be that of a former node of this name that
     * the API server has not forgotten yet.
     */
    static List<URI> clientUrlsOfOthers(KubeApi api, String node) {
        return clientUrls(api, pod -> !pod.getMetadata().getName().equals("etcd-" + node));
    }

    private static List<URI> clientUrls(KubeApi api, Predicate<Pod> which) {
        return api.list(Pod.class, KubeSystem.NAMESPACE, LABELS).stream()
                .filter(which)
                .flatMap(EtcdPods::clientUrls)
                .distinct()
                .toList();
    }

    private static Stream<URI> clientUrls(Pod pod) {
        return Optional.ofNullable(pod.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(EtcdPod.CLIENT_URLS_ANNOTATION))
                .stream()
                .flatMap(urls -> Arrays.stream(urls.split(",")))
                .filter(url -> !url.isBlank())
                .map(URI::create);
    }

    /**
     * The member list as a new pod's {@code --initial-cluster} needs it: in the order listed, the
     * new one under the name it will publish.
     *
     * @param own     the new member
     * @param ownName the node's name
     */
    public static List<NameAndUrl> initialCluster(
            List<Member> members, Member own, String ownName) {
        return members.stream()
                .flatMap(member -> member.peerUrls().stream()
                        .map(url -> new NameAndUrl(
                                member.id().equals(own.id()) ? ownName : member.label(), url)))
                .toList();
    }
}
