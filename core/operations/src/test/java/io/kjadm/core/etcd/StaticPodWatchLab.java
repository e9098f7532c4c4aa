package io.kjadm.core.etcd;

import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.cri.ContainerRuntime.Exit;
import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.host.ScriptedRunner;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.join.StartProblem;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** A node whose kubelet is to run etcd, and the watch over its start. */
abstract class StaticPodWatchLab {

    static final String IMAGE = "registry.example/etcd:3.5.30-0";
    static final String FULL =
            "{\"level\":\"fatal\",\"msg\":\"cannot save\",\"error\":\"no space left on device\"}";

    final MemoryRuntime runtime = new MemoryRuntime();
    final MemoryFiles files =
            new MemoryFiles().with("/etc/kubernetes/manifests/etcd.yaml", """
            apiVersion: v1
            kind: Pod
            metadata: {name: etcd}
            spec: {containers: [{name: etcd, image: "%s"}]}
            """.formatted(IMAGE));
    final ScriptedRunner runner = new ScriptedRunner()
            .with("systemctl")
            .answering("systemctl is-active kubelet", "active\n");
    final VirtualWaiter clock = new VirtualWaiter();
    final StaticPodWatch watch = new StaticPodWatch(
            "etcd",
            new Machine(files, runner, runtime, _ -> "", clock, clock),
            "unix:///run/c.sock",
            Path.of("/etc/kubernetes/manifests/etcd.yaml"));

    StaticPodWatchLab() {
        runtime.images.add(IMAGE);
        watch.starts();
    }

    Optional<StartProblem> after(long seconds) {
        Optional<StartProblem> cause = Optional.empty();
        for (long half = 0; half < seconds * 2; half++) {
            clock.pause("", "", Duration.ofMillis(500));
            cause = watch.cause();
        }
        return cause;
    }

    void runs(int attempt) {
        container("e" + attempt, attempt, true, clock.now());
    }

    void container(String id, int attempt, boolean running, Instant created) {
        runtime.containers.put(
                id,
                new Container(
                        id,
                        "s",
                        "etcd",
                        attempt,
                        running,
                        created,
                        Map.of("io.kubernetes.pod.namespace", "kube-system")));
    }

    void ends(int attempt, int status, String lastLine) {
        ends(attempt, status, "Error", "", lastLine);
    }

    void ends(int attempt, int status, String reason, String message, String lastLine) {
        String id = "e" + attempt;
        String log = "/var/log/pods/kube-system_etcd-cp-2_u/etcd/%d.log".formatted(attempt);
        container(id, attempt, false, runtime.containers.get(id).createdAt());
        if (!lastLine.isEmpty()) {
            files.with(log, "2026-02-03T04:05:06Z stderr F %s\n".formatted(lastLine));
        }
        runtime.exits.put(id, new Exit(Optional.of(clock.now()), status, reason, message, log));
    }
}
