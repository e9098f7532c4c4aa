package io.kjadm.manifests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Optional;

final class NamesAndFilesTest {

    @Test
    void coreDnsHasAFolderInTheDefaultRepositoryOnly() {
        assertEquals(
                "registry.k8s.io/coredns/coredns:v1.14.6",
                images("registry.k8s.io").coreDns());
        assertEquals("my.example/k8s/coredns:v1.14.6", images("my.example/k8s").coreDns());
        assertEquals(
                "dns.example/coredns:v9",
                new ImageNames(
                                "registry.k8s.io",
                                "v1.36.2",
                                ImageNames.Build.RELEASE,
                                ImageNames.Choice.NONE,
                                choice("dns.example", "v9"))
                        .coreDns());
    }

    @Test
    void ciBuildsComeFromTheirOwnRepositoryUnlessAnotherIsConfigured() {
        assertEquals(
                "gcr.io/k8s-staging-ci-images/kube-apiserver:v1.37.0-alpha.1_abc",
                ci("registry.k8s.io").apiServer());
        assertEquals(
                "my.example/kube-apiserver:v1.37.0-alpha.1_abc",
                ci("my.example").apiServer());
        assertEquals("registry.k8s.io/etcd:3.7.0-0", ci("registry.k8s.io").etcd());
        assertEquals("registry.k8s.io/pause:3.10.2", ci("registry.k8s.io").pause());
    }

    @ParameterizedTest
    @CsvSource({
        "v1.37.0, 3.7.0-0",
        "v1.36.2, 3.6.11-0",
        "v1.35.0, 3.6.11-0",
        "v1.20.0, 3.6.11-0",
        "v1.99.0, 3.7.0-0",
        "nonsense, 3.7.0-0"
    })
    void everyVersionHasAnEtcd(String version, String tag) {
        assertEquals(
                tag,
                new ImageNames(
                                "r",
                                version,
                                ImageNames.Build.RELEASE,
                                ImageNames.Choice.NONE,
                                ImageNames.Choice.NONE)
                        .etcdTag());
    }

    @Test
    void aConfiguredEtcdIsTaken() {
        ImageNames images = new ImageNames(
                "r",
                "v1.36.2",
                ImageNames.Build.RELEASE,
                choice("e", "3.5.21-0"),
                ImageNames.Choice.NONE);
        assertEquals("e/etcd:3.5.21-0", images.etcd());
        assertEquals(
                Optional.of(new ImageVersion(3, 5, 21)), ImageVersion.fromTag(images.etcdTag()));
    }

    @ParameterizedTest
    @CsvSource({
        "3.5.21-0, 3.5.21",
        "v3.6.8, 3.6.8",
        "3.4.29_custom, 3.4.29",
        "latest, ",
        "3.5, ",
        "3.5.21x, "
    })
    void tagsNameVersionsOrNot(String tag, String version) {
        assertEquals(
                Optional.ofNullable(version),
                ImageVersion.fromTag(tag).map(ImageVersion::toString));
    }

    @Test
    void withoutFlagsTheVariableIsStillThere() {
        assertEquals(
                "KUBELET_KUBEADM_ARGS=\"\"\n",
                KubeletFiles.flagsEnv(
                        new KubeletFiles.Flags(Optional.empty(), List.of(), List.of())));
    }

    @Test
    void flagsAreMergedJoinedAndQuoted() {
        var taints = List.of(
                new KubeletFiles.Taint("a", "b", "NoSchedule"),
                new KubeletFiles.Taint("c", "", "NoExecute"),
                new KubeletFiles.Taint("d", "e", ""),
                new KubeletFiles.Taint("f", "", ""));
        assertEquals(
                "KUBELET_KUBEADM_ARGS=\"--hostname-override=n1 "
                        + "--register-with-taints=a=b:NoSchedule,c:NoExecute,d=e:,f --v=4 --x=a\\\"b\\\\c\"\n",
                KubeletFiles.flagsEnv(new KubeletFiles.Flags(
                        Optional.of("n1"),
                        taints,
                        List.of(new Argument("v", "4"), new Argument("x", "a\"b\\c")))));
    }

    @Test
    void flagsAreReadBack() {
        assertEquals(
                List.of(
                        new Argument("hostname-override", "n1"),
                        new Argument("containerd", "/c.sock"),
                        new Argument("fail-swap-on", "")),
                KubeletFiles.parseFlags(
                        "# mine\nKUBELET_KUBEADM_ARGS=\"--hostname-override=n1 --containerd /c.sock --fail-swap-on\"\n"));
        assertEquals(List.of(), KubeletFiles.parseFlags(""));
    }

    @Test
    void theOperatorsHostnameWins() {
        assertEquals(
                List.of("--hostname-override=mine"),
                new KubeletFiles.Flags(
                                Optional.of("n1"),
                                List.of(),
                                List.of(new Argument("hostname-override", "mine")))
                        .arguments());
    }

    @Test
    void theInstanceConfigurationIsOneLine() {
        assertEquals(
                "containerRuntimeEndpoint: \"unix:///run/containerd/containerd.sock\"\n",
                KubeletFiles.instanceConfig("unix:///run/containerd/containerd.sock"));
    }

    private static ImageNames images(String repository) {
        return new ImageNames(
                repository,
                "v1.36.2",
                ImageNames.Build.RELEASE,
                ImageNames.Choice.NONE,
                ImageNames.Choice.NONE);
    }

    private static ImageNames ci(String repository) {
        return new ImageNames(
                repository,
                "v1.37.0-alpha.1+abc",
                ImageNames.Build.CI,
                ImageNames.Choice.NONE,
                ImageNames.Choice.NONE);
    }

    private static ImageNames.Choice choice(String repository, String tag) {
        return new ImageNames.Choice(Optional.of(repository), Optional.of(tag));
    }
}
