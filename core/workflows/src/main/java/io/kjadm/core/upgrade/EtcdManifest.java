package io.kjadm.core.upgrade;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.version.EtcdMemberExchange;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.upgrade.EtcdFlags;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.ManifestException;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.manifests.NameAndUrl;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The manifest of this node's etcd as it is, for another image: flags get the names that the other
 * version knows, the members are listed as they are now, and everything else stays, whoever has
 * written or patched it.
 *
 * @param image   that it runs
 * @param version that the image's tag tells
 */
record EtcdManifest(String text, String image, EtcdVersion version) {

    /**
     * Reads it.
     *
     * @throws HostException if it is no pod, or its image tells no version
     */
    static EtcdManifest of(String text) {
        String image = StaticPodText.parse(text)
                .flatMap(StaticPodText::image)
                .orElseThrow(() -> unreadable("it has no container with an image"));
        try {
            return new EtcdManifest(text, image, EtcdMemberExchange.version(image));
        } catch (IllegalArgumentException e) {
            throw unreadable("the tag of its image %s has no version".formatted(image));
        }
    }

    private static HostException unreadable(String why) {
        return new HostException(
                "the manifest of this node's etcd cannot be used",
                why,
                "repair %s.yaml in the directory of the static pods".formatted(EtcdPod.NAME));
    }

    /** The same image with another tag. */
    String imageWith(String tag) {
        int colon = image.lastIndexOf(':');
        return image.substring(0, colon > image.lastIndexOf('/') ? colon : image.length()) + ":"
                + tag;
    }

    /** The flags of the other version. */
    EtcdFlags flags(EtcdVersion target) {
        return EtcdFlags.of(words("command"), version, target);
    }

    /**
     * The manifest for another version.
     *
     * @param members all of them, so that one that loses its data never founds a cluster of its own
     */
    String with(String newImage, EtcdVersion target, List<NameAndUrl> members) {
        Map<String, Object> container = new LinkedHashMap<>(container());
        List<String> command = flags(target).arguments();
        command = EtcdFlags.with(
                command,
                "--initial-cluster="
                        + members.stream()
                                .map(member -> member.name() + "=" + member.url())
                                .collect(Collectors.joining(",")));
        command = EtcdFlags.with(command, "--initial-cluster-state=existing");
        container.put("image", newImage);
        container.put("command", command);
        Map<String, Object> spec = new LinkedHashMap<>(map(pod().get("spec")));
        List<Object> containers = new ArrayList<>(list(spec.get("containers")));
        containers.set(0, container);
        spec.put("containers", containers);
        Map<String, Object> pod = new LinkedHashMap<>(pod());
        pod.put("spec", spec);
        return ManifestYaml.write(pod);
    }

    private Map<String, Object> pod() {
        try {
            return ManifestYaml.readObject(text);
        } catch (ManifestException e) {
            throw unreadable(e.getMessage());
        }
    }

    private Map<String, Object> container() {
        return map(list(map(pod().get("spec")).get("containers")).getFirst());
    }

    private List<String> words(String field) {
        return list(container().get(field)).stream().map(String::valueOf).toList();
    }

    private static Map<String, Object> map(Object value) {
        Map<String, Object> map = new LinkedHashMap<>();
        if (value instanceof Map<?, ?> found) {
            found.forEach((key, entry) -> map.put(String.valueOf(key), entry));
        }
        return map;
    }

    private static List<?> list(Object value) {
        return value instanceof List<?> list ? list : List.of();
    }
}
