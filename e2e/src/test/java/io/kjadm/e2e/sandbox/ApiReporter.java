package io.kjadm.e2e.sandbox;

import org.bouncycastle.operator.OperatorCreationException;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Shows a kubelet's node, and those of its static pods that run, to the API server. */
final class ApiReporter implements Runnable {
    private static final String PODS = "/api/v1/namespaces/" + StaticPod.NAMESPACE + "/pods";
    private static final long INTERVAL_MILLIS = 400;
    /** Of a kubelet that has shown everything. */
    private static final long SETTLED_MILLIS = 2_000;

    private final String nodeName;
    private final Path kubeconfig;
    private final KubeletCertificate certificate;
    private final Supplier<? extends Collection<StaticPod>> running;
    /** By name, with the UID. */
    private final Map<String, String> shown = new HashMap<>();

    private ApiClient api;
    private String said = "";

    ApiReporter(
            String nodeName,
            Path kubeconfig,
            KubeletCertificate certificate,
            Supplier<? extends Collection<StaticPod>> running) {
        this.nodeName = nodeName;
        this.kubeconfig = kubeconfig;
        this.certificate = certificate;
        this.running = running;
    }

    @Override
    public void run() {
        while (true) {
            var settled = false;
            try {
                if (api == null) {
                    certificate.ensure();
                    api = new ApiClient(kubeconfig);
                }
                showNode();
                settled = showPods(List.copyOf(running.get()));
            } catch (IOException | RuntimeException notNow) {
                say("not yet: " + notNow);
            } catch (GeneralSecurityException | OperatorCreationException e) {
                e.printStackTrace();
            }
            try {
                Thread.sleep(settled ? SETTLED_MILLIS : INTERVAL_MILLIS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Tells the same thing once. */
    private void say(String words) {
        if (!words.equals(said)) {
            said = words;
            System.out.println(words);
        }
    }

    private void showNode() throws IOException {
        if (api.get("/api/v1/nodes/" + nodeName).isPresent()) {
            return;
        }
        // it was taken out, or the cluster has other data now
        shown.clear();
        var node = Json.object().put("apiVersion", "v1").put("kind", "Node");
        node.withObject("/metadata")
                .put("name", nodeName)
                .withObject("/labels")
                .put("kubernetes.io/hostname", nodeName)
                .put("kubernetes.io/os", "linux");
        node.withObject("/spec");
        node.withArray("/status/conditions")
                .addObject()
                .put("type", "Ready")
                .put("status", "True")
                .put("reason", "Sandbox");
        node.withArray("/status/addresses")
                .addObject()
                .put("type", "InternalIP")
                .put("address", address());
        node.withObject("/status/nodeInfo")
                .put("kubeletVersion", Seeds.VERSION)
                .put("osImage", "sandbox");
        api.create("/api/v1/nodes", node);
    }

    /** Whether there was nothing to do. */
    private boolean showPods(List<StaticPod> pods) throws IOException {
        var settled = true;
        var gone = new HashSet<>(shown.keySet());
        for (var pod : pods) {
            gone.remove(pod.podName());
            if (!pod.uid().equals(shown.get(pod.podName()))) {
                show(pod);
                settled = false;
            }
        }
        for (var name : gone) {
            api.delete(PODS + "/" + name);
            shown.remove(name);
        }
        return settled && !pods.isEmpty();
    }

    /** One of another manifest is another pod, which has to go first. */
    private void show(StaticPod pod) throws IOException {
        var path = PODS + "/" + pod.podName();
        var former = api.get(path);
        var mirror = pod.mirror(address());
        if (former.isPresent() && !StaticPod.hash(former.get()).equals(StaticPod.hash(mirror))) {
            api.delete(path);
            former = api.get(path);
        }
        if (former.isEmpty()) {
            api.create(PODS, mirror);
        }
        shown.put(pod.podName(), pod.uid());
    }

    private static String address() throws IOException {
        return InetAddress.getLocalHost().getHostAddress();
    }
}
