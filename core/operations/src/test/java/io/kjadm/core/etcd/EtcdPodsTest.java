package io.kjadm.core.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.kjadm.core.kube.MemoryKubeApi;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.manifests.EtcdPod;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.util.List;

/**
 * Members with ports of their own and several URLs, as a cluster that was set up otherwise may have
 * them.
 */
class EtcdPodsTest {

    private static URI url(String text) {
        return URI.create("https://" + text);
    }

    private static PodBuilder pod(String name) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("kube-system")
                .withName(name)
                .addToLabels("component", "etcd")
                .addToLabels("tier", "control-plane")
                .endMetadata();
    }

    @Test
    void everyUrlThatAPodTellsIsAnEndpointWithItsPort() {
        MemoryKubeApi api = new MemoryKubeApi();
        api.with(pod("etcd-cp-1")
                .editMetadata()
                .addToAnnotations(
                        EtcdPod.CLIENT_URLS_ANNOTATION,
                        "https://10.0.0.1:12379,https://[fd00::1]:12379")
                .endMetadata()
                .build());
        api.with(pod("etcd-cp-2").build());
        assertEquals(
                List.of(url("10.0.0.1:12379"), url("[fd00::1]:12379")), EtcdPods.clientUrls(api));
    }

    @Test
    void aNewMemberIsStartedWithEveryPeerUrlOfTheOthers() {
        Member other = new Member(
                new MemberId(1),
                "cp-1",
                List.of(url("10.0.0.1:12380"), url("10.1.0.1:12380")),
                List.of(url("10.0.0.1:12379")),
                false);
        Member own =
                new Member(new MemberId(2), "", List.of(url("10.0.0.2:2380")), List.of(), true);
        Member nameless = new Member(
                new MemberId(0xbeef), "", List.of(url("10.0.0.3:2380")), List.of(), true);
        assertEquals(
                List.of(
                        "cp-1=https://10.0.0.1:12380",
                        "cp-1=https://10.1.0.1:12380",
                        "cp-2=https://10.0.0.2:2380",
                        "beef=https://10.0.0.3:2380"),
                EtcdPods.initialCluster(List.of(other, own, nameless), own, "cp-2").stream()
                        .map(entry -> entry.name() + "=" + entry.url())
                        .toList());
    }
}
