package io.kjadm.core.simulation;

import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.cri.ContainerRuntime.Exit;
import io.kjadm.etcd.MemberIds;
import io.kjadm.manifests.EtcdRestorePod;

import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The kubelet of a {@link RestoreMachine}: it makes pods of the manifests, etcd among them. */
final class RestoreKubelet {

    private static final List<String> PODS = Stream.concat(
                    RestoreMachine.COMPONENTS.stream(), Stream.of(EtcdRestorePod.NAME))
            .toList();

    private static final String TOKEN = "initial-cluster-token";

    private final RestoreMachine host;
    private final Map<String, Pod> pods = new LinkedHashMap<>();
    private final Map<String, Exit> exits = new HashMap<>();
    private int made;
    private boolean dirty = true;
    /** This machine's time at its last look. */
    private Instant clock = Instant.EPOCH;

    private record Pod(String id, String component, String uid, Instant since, boolean running) {
        Pod ended() {
            return new Pod(id, component, uid, since, false);
        }
    }

    RestoreKubelet(RestoreMachine host) {
        this.host = host;
    }

    Instant clock() {
        return clock;
    }

    /** The power goes. */
    void cutPower() {
        pods.clear();
    }

    /** Something that it looks at was changed. */
    void changed() {
        dirty = true;
    }

    /** One look of the kubelet. */
    void look(Instant now) {
        clock = host.time(now);
        if (!host.powered || !host.kubeletRuns) {
            return;
        }
        running(EtcdRestorePod.NAME).ifPresent(pod -> {
            make();
            end(EtcdRestorePod.NAME);
        });
        if (dirty) {
            dirty = false;
            PODS.forEach(this::sync);
        }
        if (running("etcd").isPresent() && host.etcd.isEmpty()) {
            startEtcd();
        }
    }

    private void sync(String component) {
        Optional<String> text = host.files.read(RestoreMachine.PATHS.manifest(component));
        String uid =
                text.map(content -> Integer.toHexString(content.hashCode())).orElse("");
        running(component).filter(pod -> !pod.uid().equals(uid)).ifPresent(pod -> {
            end(component);
            if (component.equals("etcd")) {
                host.etcd = Optional.empty();
            }
        });
        boolean again = !component.equals(EtcdRestorePod.NAME)
                || pods.values().stream().noneMatch(pod -> pod.uid().equals(uid));
        if (text.isPresent() && running(component).isEmpty() && again) {
            String id = "%s-%d-%d".formatted(component, host.boots, ++made);
            pods.put(id, new Pod(id, component, uid, clock, true));
        }
    }

    private Optional<Pod> running(String component) {
        return pods.values().stream()
                .filter(pod -> pod.running() && pod.component().equals(component))
                .findFirst();
    }

    boolean runsPod(String component) {
        return running(component).isPresent();
    }

    void end(String component) {
        running(component).ifPresent(pod -> {
            pods.put(pod.id(), pod.ended());
            exits.put(pod.id(), new Exit(Optional.of(clock), 0, "Completed", "", ""));
        });
    }

    void stop(String id) {
        Optional.ofNullable(pods.get(id)).filter(Pod::running).ifPresent(pod -> {
            end(pod.component());
            if (pod.component().equals("etcd")) {
                host.etcd = Optional.empty();
            }
            dirty = true;
        });
    }

    List<Container> containers() {
        return pods.values().stream()
                .map(pod -> new Container(
                        pod.id(),
                        "sandbox-of-" + pod.id(),
                        pod.component(),
                        0,
                        pod.running(),
                        pod.since(),
                        Map.of(
                                "io.kubernetes.pod.namespace",
                                "kube-system",
                                "io.kubernetes.pod.uid",
                                pod.uid())))
                .toList();
    }

    Optional<Exit> exitOf(String id) {
        return Optional.ofNullable(exits.get(id));
    }

    /** An etcd with data serves them; without data a founder begins another cluster. */
    private void startEtcd() {
        if (!host.files.exists(RestoreMachine.MEMBER)) {
            String text = host.files.read(RestoreMachine.PATHS.manifest("etcd")).orElse("");
            if (text.contains("--initial-cluster-state=existing")) {
                return;
            }
            MemberIds ids = MemberIds.ofFounder(
                    "etcd-cluster-" + host.boots, List.of(RestoreMachine.peerUrl(host.number)));
            host.store(
                    ids,
                    List.of(RestoreMachine.member(host.number, ids.memberId())),
                    RestoreMachine.INDEX);
        }
        host.load();
    }

    /** etcdutl is at work. */
    private void make() {
        String pod = host.files.text(
                RestoreMachine.PATHS.manifest(EtcdRestorePod.NAME).toString());
        MemberIds ids = MemberIds.ofFounder(
                flag(pod, TOKEN), List.of(URI.create(flag(pod, "initial-advertise-peer-urls"))));
        host.write(
                Path.of(flag(pod, "data-dir")).resolve("member"),
                ids,
                List.of(RestoreMachine.member(host.number, ids.memberId())),
                RestoreMachine.INDEX);
    }

    private static String flag(String text, String name) {
        Matcher flag = Pattern.compile("--%s=(\\S+)".formatted(name)).matcher(text);
        if (!flag.find()) {
            throw new IllegalStateException(name + " is not in " + text);
        }
        return flag.group(1);
    }
}
