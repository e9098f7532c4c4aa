package io.kjadm.core.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.config.ConfigurationFile;
import io.kjadm.core.config.ConfigurationLoader;
import io.kjadm.core.config.KubeletConfig;
import io.kjadm.core.config.LoadOptions;
import io.kjadm.core.config.NodeRegistration;
import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.host.ScriptedRunner;
import io.kjadm.core.host.Services;
import io.kjadm.core.net.FakeHost;
import io.kjadm.etcd.join.StartProblem;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

class NodeReadinessTest {

    private static final String IMAGE = "registry.example/etcd:3.6.8-0";

    private final MemoryRuntime runtime = new MemoryRuntime();
    private final List<URI> asked = new ArrayList<>();
    private String health = "";
    private String service = "active";
    private ScriptedRunner services = new ScriptedRunner().with("systemctl");
    private Map<String, Object> kubelet = Map.of();

    private Optional<StartProblem> startProblem(String registration) {
        NodeRegistration node = new ConfigurationLoader(new FakeHost(), warning -> {})
                .join(
                        Optional.of(ConfigurationFile.of("f", """
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: JoinConfiguration
                nodeRegistration: {name: cp-2, criSocket: "unix:///run/c.sock"%s}
                discovery: {file: {kubeConfigPath: "https://example.com/cluster.conf"}}
                """.formatted(registration))),
                        CommandFlags.none(),
                        Optional.empty(),
                        LoadOptions.RUN)
                .nodeRegistration();
        return new NodeReadiness(
                        new KubeletConfig(kubelet, false),
                        IMAGE,
                        node,
                        url -> {
                            asked.add(url);
                            return health;
                        },
                        Services.of(services.answering("systemctl is-active kubelet", service)),
                        runtime)
                .startProblem();
    }

    private StartProblem found() {
        return startProblem("").orElseThrow();
    }

    @Test
    void aHealthyKubeletAndAnImageAreEnough() {
        runtime.images.add(IMAGE);
        assertEquals(Optional.empty(), startProblem(""));
        assertEquals(List.of(URI.create("http://127.0.0.1:10248/healthz")), asked);
        assertEquals(List.of(), runtime.pulls);
    }

    @Test
    void withoutAnInitSystemTheKubeletSpeaksForItself() {
        runtime.images.add(IMAGE);
        services = new ScriptedRunner();
        assertEquals(Optional.empty(), startProblem(""));
        kubelet = Map.of("healthzPort", 0);
        assertEquals(Optional.empty(), startProblem(""), "there is nothing to ask");
        kubelet = Map.of();
        health = "connection refused";
        assertEquals(
                "the kubelet of this node is not healthy", found().problem().what());
    }

    @Test
    void theKubeletIsAskedWhereItListens() {
        kubelet = Map.of("healthzBindAddress", "::", "healthzPort", 20248);
        startProblem("");
        assertEquals(List.of(URI.create("http://[::1]:20248/healthz")), asked);
    }

    @Test
    void aKubeletThatIsStoppedIsNotWaitedFor() {
        health = "connection refused";
        service = "inactive";
        StartProblem found = found();
        assertEquals("the kubelet of this node does not run", found.problem().what());
        assertFalse(found.passing());
        assertEquals(List.of(), runtime.pulls);
    }

    @Test
    void aKubeletThatIsStartingMayBecomeHealthy() {
        health = "connection refused";
        StartProblem found = found();
        assertEquals("the kubelet of this node is not healthy", found.problem().what());
        assertTrue(found.passing());
    }

    @Test
    void aKubeletWithoutHealthPortIsJudgedByItsService() {
        kubelet = Map.of("healthzPort", 0);
        runtime.images.add(IMAGE);
        assertEquals(Optional.empty(), startProblem(""));
        service = "failed";
        assertEquals("the kubelet of this node does not run", found().problem().what());
        assertEquals(List.of(), asked);
    }

    @Test
    void anImageThatHasGoneIsFetchedAgain() {
        assertEquals(Optional.empty(), startProblem(""));
        assertEquals(List.of(IMAGE), runtime.pulls);
    }

    @Test
    void anImageThatCannotBeFetchedIsNamed() {
        runtime.refusals.put(IMAGE, 1);
        StartProblem found = found();
        assertTrue(
                found.problem().what().contains(IMAGE) && found.problem().why().equals("not now"),
                found.toString());
        assertFalse(found.passing());
    }

    @Test
    void anImageThatMustNotBeFetchedIsNot() {
        StartProblem found = startProblem(", imagePullPolicy: Never").orElseThrow();
        assertEquals(
                "etcd's image %s is not on this node".formatted(IMAGE),
                found.problem().what());
        assertEquals("imagePullPolicy is Never", found.problem().why());
        assertEquals(List.of(), runtime.pulls);
    }

    @Test
    void aRuntimeThatDoesNotAnswerIsWaitedFor() {
        String why = "no socket";
        runtime.down = Optional.of(why);
        StartProblem found = found();
        assertTrue(found.problem().why().contains(why), found.toString());
        assertTrue(found.passing());
    }
}
