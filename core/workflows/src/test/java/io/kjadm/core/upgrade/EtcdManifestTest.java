package io.kjadm.core.upgrade;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.HostException;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.ImageVersion;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.manifests.NameAndUrl;
import io.kjadm.manifests.PodHost;
import io.kjadm.manifests.PodOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

class EtcdManifestTest {

    private static final List<NameAndUrl> MEMBERS = List.of(
            new NameAndUrl("cp-1", URI.create("https://192.0.2.10:2380")),
            new NameAndUrl("cp-2", URI.create("https://192.0.2.11:2380")));

    /** As this program, or kubeadm, writes it for a node that joins. */
    private static String generated(String version) {
        String image = "registry.example:5000/etcd:" + version + "-0";
        return ManifestYaml.write(EtcdPod.build(new EtcdPod.Input(
                new PodHost(
                        Path.of("/etc/kubernetes/pki"),
                        Path.of("/etc/kubernetes"),
                        List.of(),
                        List.of(),
                        Duration.ofMinutes(4)),
                PodOptions.of(image),
                ImageVersion.fromTag(version + "-0"),
                "cp-1",
                InetAddress.ofLiteral("192.0.2.10"),
                Path.of("/var/lib/etcd"),
                Optional.of(MEMBERS))));
    }

    private static String changed(String text, String version) {
        EtcdManifest manifest = EtcdManifest.of(text);
        return manifest.with(
                manifest.imageWith(version + "-0"), EtcdVersion.parse(version), MEMBERS);
    }

    @ParameterizedTest
    @CsvSource({"3.5.30,3.6.14", "3.6.14,3.5.30", "3.5.16,3.5.30", "3.6.8,3.6.14"})
    void itBecomesTheOneThatWouldBeGeneratedForTheOtherVersion(String from, String to) {
        assertEquals(generated(to), changed(generated(from), to));
    }

    @Test
    void whatSomebodyHasPutThereStays() {
        String byHand = generated("3.5.30")
                .replace(
                        "    - --data-dir=/var/lib/etcd\n",
                        "    - --data-dir=/var/lib/etcd\n    - --quota-backend-bytes=8589934592\n")
                .replace("cpu: 100m", "cpu: 750m");
        String text = changed(byHand, "3.6.14");
        assertHasLine("- --quota-backend-bytes=8589934592", text);
        assertHasLine("cpu: 750m", text);
        assertHasLine("image: registry.example:5000/etcd:3.6.14-0", text);
    }

    @Test
    void theNodeThatFoundedTheClusterListsAllMembersFromNowOn() {
        String founder = generated("3.5.30")
                .replace("    - --initial-cluster-state=existing\n", "")
                .replace(",cp-2=https://192.0.2.11:2380", "");
        String text = changed(founder, "3.5.33");
        assertHasLine("- --initial-cluster-state=existing", text);
        assertHasLine(
                "- --initial-cluster=cp-1=https://192.0.2.10:2380,cp-2=https://192.0.2.11:2380",
                text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"etcd:latest", "etcd@sha256:0000"})
    void anImageThatTellsNoVersionIsRefused(String image) {
        String text = generated("3.5.30").replace("registry.example:5000/etcd:3.5.30-0", image);
        assertThrows(HostException.class, () -> EtcdManifest.of(text));
    }

    @Test
    void whatIsNoPodIsRefused() {
        assertThrows(HostException.class, () -> EtcdManifest.of("kind: Pod\n"));
    }
}
